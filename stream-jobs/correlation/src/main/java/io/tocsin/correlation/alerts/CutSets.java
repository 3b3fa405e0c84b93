package io.tocsin.correlation.alerts;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Minimal cut sets that are satisfied now: the smallest sets of inputs that are down and make a top
 * event true by themselves. There may be exponentially many, so only some of the smallest are kept.
 *
 * @param sets inputs by number, the smallest sets first; none contains another
 * @param hasMore whether there may be others
 */
record CutSets(List<BitSet> sets, boolean hasMore) {
  /** So many are kept, in each gate too. */
  static final int MAX_SETS = 8;

  private static final Comparator<BitSet> SMALLEST_FIRST =
      Comparator.comparingInt(BitSet::cardinality).thenComparing(CutSets::byFirstInput);

  /** Of nothing that is down. */
  static final CutSets NONE = new CutSets(List.of(), false);

  private static int byFirstInput(BitSet one, BitSet other) {
    BitSet different = (BitSet) one.clone();
    different.xor(other);
    return different.isEmpty() ? 0 : one.get(different.nextSetBit(0)) ? -1 : 1;
  }

  /** Of one input that is down. */
  static CutSets of(int input) {
    BitSet set = new BitSet();
    set.set(input);
    return new CutSets(List.of(set), false);
  }

  /** Of a gate that wants so many of the children that are down. */
  static CutSets ofGate(int atLeast, List<CutSets> down) {
    // ways[j]: sets that have j of the children so far.
    List<CutSets> ways = new ArrayList<>();
    ways.add(new CutSets(List.of(new BitSet()), false));
    for (int j = 1; j <= atLeast; j++) {
      ways.add(NONE);
    }
    for (int i = 0; i < down.size(); i++) {
      int least = Math.max(1, atLeast - (down.size() - 1 - i));
      for (int j = Math.min(atLeast, i + 1); j >= least; j--) {
        ways.set(j, ways.get(j).or(ways.get(j - 1).and(down.get(i))));
      }
    }
    return ways.get(atLeast);
  }

  private CutSets and(CutSets other) {
    Set<BitSet> products = new TreeSet<>(SMALLEST_FIRST);
    for (BitSet one : sets) {
      for (BitSet two : other.sets) {
        BitSet both = (BitSet) one.clone();
        both.or(two);
        products.add(both);
      }
    }
    return bounded(products, hasMore || other.hasMore);
  }

  private CutSets or(CutSets other) {
    Set<BitSet> all = new TreeSet<>(SMALLEST_FIRST);
    all.addAll(sets);
    all.addAll(other.sets);
    return bounded(all, hasMore || other.hasMore);
  }

  private static CutSets bounded(Collection<BitSet> smallestFirst, boolean hasMore) {
    List<BitSet> minimal = new ArrayList<>();
    for (BitSet set : smallestFirst) {
      if (minimal.stream().noneMatch(smaller -> contains(set, smaller))) {
        if (minimal.size() == MAX_SETS) {
          return new CutSets(minimal, true);
        }
        minimal.add(set);
      }
    }
    return new CutSets(minimal, hasMore);
  }

  private static boolean contains(BitSet set, BitSet smaller) {
    BitSet rest = (BitSet) smaller.clone();
    rest.andNot(set);
    return rest.isEmpty();
  }

  /**
   * Without what a set does not need: where others were left out on the way, the smaller set that
   * would have taken its place may be among them.
   *
   * @param isEnough whether inputs make the top event true
   */
  CutSets minimal(Predicate<BitSet> isEnough) {
    Set<BitSet> shrunk = new TreeSet<>(SMALLEST_FIRST);
    for (BitSet set : sets) {
      BitSet least = (BitSet) set.clone();
      for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
        least.clear(i);
        if (!isEnough.test(least)) {
          least.set(i);
        }
      }
      shrunk.add(least);
    }
    return new CutSets(List.copyOf(shrunk), hasMore);
  }
}
