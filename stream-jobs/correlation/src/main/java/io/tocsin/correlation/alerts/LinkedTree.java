package io.tocsin.correlation.alerts;

import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import io.tocsin.correlation.alerts.TreeNode.TreeGate;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import io.tocsin.correlation.alerts.TreeStatus.DownPart;
import io.tocsin.correlation.alerts.Trees.Failure;
import io.tocsin.correlation.alerts.Trees.Leaf;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A fault tree with the leaves that it shares with others, and the trees above and under it. */
final class LinkedTree implements Comparable<LinkedTree> {
  private static final long NEVER = TreeStatus.NEVER;

  /** Before every possible time, and far enough from the first of them for a hold to be added. */
  private static final long ALWAYS = Long.MIN_VALUE / 2;

  /** Rank of a tree that is in a circle, or above one. */
  private static final int ROUND = Integer.MAX_VALUE;

  /** What a tree follows from, once for each that is different: a leaf or another tree. */
  private record Input(Leaf leaf, LinkedTree tree) {
    long downSince() {
      if (leaf == null) {
        return tree == null ? NEVER : tree.topFrom;
      }
      Failure oldest = leaf.oldest();
      return oldest == null ? NEVER : oldest.since();
    }

    DownPart downPart() {
      if (leaf == null) {
        String fingerprint = TreeAlerts.topFingerprint(tree.tree.name());
        return new DownPart(title(), fingerprint, tree.newestEvent());
      }
      Failure oldest = leaf.oldest();
      return new DownPart(title(), oldest.fingerprint(), oldest.eventId());
    }

    String title() {
      return leaf == null ? tree.tree.name() : leaf.title();
    }
  }

  /** A node by numbers: an input where it has no children. */
  private record Node(int input, int atLeast, List<Node> children, long holdNanos) {}

  private final FaultTree tree;
  private final List<Input> inputs = new ArrayList<>();
  private final Set<LinkedTree> parents = new LinkedHashSet<>();
  private final BitSet singlePoints = new BitSet();
  private Node root;
  private int rank = ROUND;
  private long topFrom = NEVER;
  private long changesAt = Step.NO_TIMER;

  LinkedTree(FaultTree tree) {
    this.tree = tree;
  }

  /** Finds its leaves and the trees that it names; one that is not there is never true. */
  void link(Map<String, LinkedTree> byName, Function<AlertLeaf, Leaf> leaves) {
    Map<TreeNode, Integer> numbers = new LinkedHashMap<>();
    root = number(tree.top(), numbers);
    for (TreeNode node : numbers.keySet()) {
      if (node instanceof TreeLeaf leaf) {
        LinkedTree child = byName.get(leaf.tree());
        inputs.add(new Input(null, child));
        if (child != null) {
          child.parents.add(this);
        }
      } else {
        inputs.add(new Input(leaves.apply((AlertLeaf) node), null));
      }
    }
    for (int i = 0; i < inputs.size(); i++) {
      long[] onlyThis = new long[inputs.size()];
      Arrays.fill(onlyThis, NEVER);
      onlyThis[i] = ALWAYS;
      singlePoints.set(i, from(root, onlyThis) != NEVER);
    }
  }

  private static Node number(TreeNode node, Map<TreeNode, Integer> numbers) {
    if (node instanceof TreeGate gate) {
      List<Node> children = gate.children().stream().map(child -> number(child, numbers)).toList();
      return new Node(-1, gate.atLeast(), children, gate.holdNanos());
    }
    Integer known = numbers.putIfAbsent(node, numbers.size());
    return new Node(known == null ? numbers.size() - 1 : known, 1, List.of(), 0);
  }

  /** Puts children before their parents; trees in a circle, and those above them, have no rank. */
  static void rank(Collection<LinkedTree> trees) {
    Map<LinkedTree, Integer> waitingFor = new HashMap<>();
    Deque<LinkedTree> ready = new ArrayDeque<>();
    for (LinkedTree tree : trees) {
      int children = tree.children().size();
      waitingFor.put(tree, children);
      if (children == 0) {
        ready.add(tree);
      }
    }
    int rank = 0;
    while (!ready.isEmpty()) {
      LinkedTree tree = ready.remove();
      tree.rank = rank++;
      for (LinkedTree parent : tree.parents) {
        if (waitingFor.merge(parent, -1, Integer::sum) == 0) {
          ready.add(parent);
        }
      }
    }
  }

  @Override
  public int compareTo(LinkedTree other) {
    return Comparator.<LinkedTree>comparingInt(each -> each.rank)
        .thenComparing(each -> each.tree.name())
        .compare(this, other);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  FaultTree tree() {
    return tree;
  }

  Set<LinkedTree> parents() {
    return parents;
  }

  /** Trees that it names and that are there. */
  List<LinkedTree> children() {
    return inputs.stream().map(Input::tree).filter(Objects::nonNull).toList();
  }

  List<Leaf> leaves() {
    return inputs.stream().map(Input::leaf).filter(Objects::nonNull).toList();
  }

  /** Since when its top event is true, as of the last look. */
  long topFrom() {
    return topFrom;
  }

  /** When a hold may be over, as of the last look. */
  long changesAt() {
    return changesAt;
  }

  /**
   * Where it stands.
   *
   * @param clock event time the stream has reached: a hold that ends later is not over
   */
  TreeStatus look(long clock) {
    changesAt = Step.NO_TIMER;
    long[] since = inputs.stream().mapToLong(Input::downSince).toArray();
    topFrom = rank == ROUND ? NEVER : held(heldFrom(root, since, clock), tree.holdNanos(), clock);
    BitSet down = new BitSet();
    IntStream.range(0, since.length).filter(i -> since[i] != NEVER).forEach(down::set);
    BitSet next = new BitSet();
    long lostFrom = NEVER;
    CutSets cuts = CutSets.NONE;
    if (topFrom != NEVER) {
      cuts =
          cuts(root, since, clock).minimal(set -> heldFrom(root, only(set, since), clock) != NEVER);
    } else if (rank != ROUND && !down.isEmpty()) {
      lostFrom = held(redundancyLostFrom(since, next), tree.holdNanos(), clock);
    }
    return new TreeStatus(
        tree,
        topFrom,
        lostFrom,
        cuts.sets().stream().map(this::names).toList(),
        cuts.hasMore(),
        down.stream().mapToObj(i -> inputs.get(i).downPart()).toList(),
        names(next),
        newestEvent());
  }

  /** Where each part stands, from the top down. */
  List<NodeStatus> nodes(long clock) {
    long[] since = inputs.stream().mapToLong(Input::downSince).toArray();
    BitSet next = new BitSet();
    if (topFrom == NEVER && rank != ROUND) {
      redundancyLostFrom(since, next);
      next.or(singlePoints);
    }
    List<NodeStatus> nodes = new ArrayList<>();
    collect(root, 0, since, next, clock, nodes);
    return nodes;
  }

  private void collect(
      Node node, int depth, long[] since, BitSet next, long clock, List<NodeStatus> nodes) {
    long from = heldFrom(node, since, clock);
    if (node.children.isEmpty()) {
      boolean isNext = from == NEVER && next.get(node.input);
      nodes.add(new NodeStatus(depth, inputs.get(node.input).title(), from, isNext));
      return;
    }
    String hold =
        node.holdNanos == 0 ? "" : " for " + Duration.ofNanos(node.holdNanos).toSeconds() + " s";
    nodes.add(
        new NodeStatus(depth, node.atLeast + " of " + node.children.size() + hold, from, false));
    node.children.forEach(child -> collect(child, depth + 1, since, next, clock, nodes));
  }

  /**
   * Since when one more failure would be enough that is not enough alone: it is enough by what is
   * down, and that is not enough without it.
   *
   * @param next takes those of them that are not down
   */
  private long redundancyLostFrom(long[] since, BitSet next) {
    long earliest = NEVER;
    for (int i = 0; i < since.length; i++) {
      long[] other = since.clone();
      other[i] = NEVER;
      if (singlePoints.get(i) || from(root, other) != NEVER) {
        continue;
      }
      other[i] = ALWAYS;
      long from = from(root, other);
      earliest = Math.min(earliest, from);
      if (from != NEVER && since[i] == NEVER) {
        next.set(i);
      }
    }
    return earliest;
  }

  /** Since when a node is down, whatever holds say. */
  private static long from(Node node, long[] since) {
    if (node.children.isEmpty()) {
      return since[node.input];
    }
    return nth(node, node.children.stream().mapToLong(child -> from(child, since)).toArray());
  }

  /** Since when a node is down; a hold that is not over is none. */
  private long heldFrom(Node node, long[] since, long clock) {
    if (node.children.isEmpty()) {
      return since[node.input];
    }
    long[] children =
        node.children.stream().mapToLong(child -> heldFrom(child, since, clock)).toArray();
    return held(nth(node, children), node.holdNanos, clock);
  }

  private static long nth(Node node, long[] children) {
    Arrays.sort(children);
    return children[node.atLeast - 1];
  }

  private long held(long from, long holdNanos, long clock) {
    if (from == NEVER || holdNanos == 0) {
      return from;
    }
    if (from + holdNanos > clock) {
      changesAt = Math.min(changesAt, from + holdNanos);
      return NEVER;
    }
    return from + holdNanos;
  }

  private CutSets cuts(Node node, long[] since, long clock) {
    if (heldFrom(node, since, clock) == NEVER) {
      return CutSets.NONE;
    }
    if (node.children.isEmpty()) {
      return CutSets.of(node.input);
    }
    List<CutSets> down =
        node.children.stream()
            .map(child -> cuts(child, since, clock))
            .filter(cuts -> !cuts.sets().isEmpty())
            .toList();
    return CutSets.ofGate(node.atLeast, down);
  }

  private static long[] only(BitSet set, long[] since) {
    return IntStream.range(0, since.length).mapToLong(i -> set.get(i) ? since[i] : NEVER).toArray();
  }

  private List<String> names(BitSet set) {
    return set.stream().mapToObj(i -> inputs.get(i).title()).toList();
  }

  private String newestEvent() {
    return leaves().stream()
        .map(Leaf::oldest)
        .filter(Objects::nonNull)
        .max(Comparator.comparingLong(Failure::since).thenComparing(Failure::fingerprint))
        .map(Failure::eventId)
        .orElse("");
  }
}
