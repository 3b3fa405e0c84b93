package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where fault trees stand, by the alerts that are active now. It follows from these alone, and is
 * made anew with the gate. What an alert changes is looked at: the trees that have a leaf for it,
 * and those above them.
 *
 * <p>A leaf counts from when its alert opened, by the agents' clock, and not from when it was read;
 * an OR is true from its first child on, an AND from its last. So whichever alert is read first,
 * the tree stands the same in the end. A hold is over when the stream has reached its end: what
 * ends within it has been read by then.
 */
public final class Trees {
  /** An alert that is active, as a leaf counts it. */
  record Failure(long since, String fingerprint, String name, String eventId) {
    private static final Comparator<Failure> OLDEST_FIRST =
        Comparator.comparingLong(Failure::since).thenComparing(Failure::fingerprint);

    static Failure of(Alert alert, long since) {
      String name = (alert.getDevice() + " " + alert.getCheck()).strip();
      return new Failure(since, alert.getFingerprint(), name, alert.getEventId());
    }
  }

  /** A leaf of any number of trees, with the alerts that it means. */
  static final class Leaf {
    private final AlertLeaf meaning;
    private final Set<LinkedTree> trees = new LinkedHashSet<>();
    private final NavigableMap<String, Failure> byFingerprint = new TreeMap<>();
    private final TreeSet<Failure> oldestFirst = new TreeSet<>(Failure.OLDEST_FIRST);

    private Leaf(AlertLeaf meaning) {
      this.meaning = meaning;
    }

    /** As it was named, or else as the alert that is down. */
    String title() {
      boolean isNamed = !meaning.name().isEmpty() || byFingerprint.isEmpty();
      return isNamed ? meaning.title() : oldest().name();
    }

    /** The oldest, null where nothing is down. */
    Failure oldest() {
      return oldestFirst.isEmpty() ? null : oldestFirst.first();
    }

    private boolean put(Failure failure) {
      Failure before = byFingerprint.put(failure.fingerprint, failure);
      if (before != null) {
        oldestFirst.remove(before);
      }
      oldestFirst.add(failure);
      return !failure.equals(before);
    }

    private void remove(String fingerprint) {
      oldestFirst.remove(byFingerprint.remove(fingerprint));
    }
  }

  private final Map<String, LinkedTree> byName = new TreeMap<>();
  private final Map<AlertLeaf, Leaf> leaves = new LinkedHashMap<>();
  private final LeafIndex<Leaf> index;
  private final Map<String, List<Leaf>> leavesByAlert = new HashMap<>();

  /** Children before their parents, so that each is looked at once. */
  private final TreeSet<LinkedTree> changed = new TreeSet<>();

  private final DueGroups due = new DueGroups();

  /**
   * Trees with nothing down. Those that a circle or a missing tree makes unusable are never true.
   */
  Trees(Collection<FaultTree> trees) {
    trees.forEach(tree -> byName.put(tree.name(), new LinkedTree(tree)));
    byName.values().forEach(tree -> tree.link(byName, this::leaf));
    byName.values().forEach(tree -> tree.leaves().forEach(leaf -> leaf.trees.add(tree)));
    LinkedTree.rank(byName.values());
    Map<Leaf, AlertLeaf> meanings = new LinkedHashMap<>();
    leaves.values().forEach(leaf -> meanings.put(leaf, leaf.meaning));
    index = new LeafIndex<>(meanings);
    changed.addAll(byName.values());
  }

  /**
   * Where trees stand by the alerts that are active, for people: the same as the gate decides.
   *
   * @param active alerts as the topic has them
   * @param clock event time the stream has reached
   */
  public static List<TreeStatus> statuses(
      Collection<FaultTree> trees, Collection<Alert> active, long clock) {
    return grown(trees, active).look(clock);
  }

  /**
   * Where each part of a tree stands, from the top down. The tree is one of those that are given.
   */
  public static List<NodeStatus> nodes(
      Collection<FaultTree> trees, String name, Collection<Alert> active, long clock) {
    Trees grown = grown(trees, active);
    grown.look(clock);
    return grown.byName.get(name).nodes(clock);
  }

  private static Trees grown(Collection<FaultTree> trees, Collection<Alert> active) {
    Trees grown = new Trees(trees);
    active.forEach(grown::put);
    return grown;
  }

  private Leaf leaf(AlertLeaf meaning) {
    return leaves.computeIfAbsent(meaning, Leaf::new);
  }

  boolean isEmpty() {
    return byName.isEmpty();
  }

  /** The tree of a name, null where there is none. */
  FaultTree tree(String name) {
    LinkedTree tree = byName.get(name);
    return tree == null ? null : tree.tree();
  }

  /** An alert is active, and looks like this. */
  void put(Alert alert) {
    if (TreeAlerts.isTree(alert)) {
      return;
    }
    String fingerprint = alert.getFingerprint();
    List<Leaf> now = index.of(alert);
    List<Leaf> before = leavesByAlert.getOrDefault(fingerprint, List.of());
    if (now.isEmpty() && before.isEmpty()) {
      return;
    }
    for (Leaf leaf : before) {
      if (!now.contains(leaf)) {
        leaf.remove(fingerprint);
        changed.addAll(leaf.trees);
      }
    }
    for (Leaf leaf : now) {
      if (leaf.put(Failure.of(alert, leaf.meaning.since(alert)))) {
        changed.addAll(leaf.trees);
      }
    }
    remember(fingerprint, now);
  }

  /** An alert is over. */
  void remove(String fingerprint) {
    for (Leaf leaf : leavesByAlert.getOrDefault(fingerprint, List.of())) {
      leaf.remove(fingerprint);
      changed.addAll(leaf.trees);
    }
    remember(fingerprint, List.of());
  }

  private void remember(String fingerprint, List<Leaf> now) {
    if (now.isEmpty()) {
      leavesByAlert.remove(fingerprint);
    } else {
      leavesByAlert.put(fingerprint, now);
    }
  }

  /**
   * Where the trees stand that may have changed since the last look.
   *
   * @param clock event time the stream has reached
   */
  List<TreeStatus> look(long clock) {
    due.take(clock).forEach(name -> changed.add(byName.get(name)));
    List<TreeStatus> statuses = new ArrayList<>();
    while (!changed.isEmpty()) {
      LinkedTree tree = changed.pollFirst();
      long before = tree.topFrom();
      statuses.add(tree.look(clock));
      due.at(tree.changesAt(), tree.tree().name());
      if (tree.topFrom() != before) {
        changed.addAll(tree.parents());
      }
    }
    return statuses;
  }

  /** When a hold may be over; {@link Step#NO_TIMER} where none goes on. */
  long nextTimer() {
    return due.isEmpty() ? Step.NO_TIMER : due.first();
  }

  /** Names of the trees above an alert, the nearest first. */
  Set<String> above(Alert alert) {
    Set<LinkedTree> above = new LinkedHashSet<>();
    if (TreeAlerts.isTree(alert)) {
      LinkedTree own = byName.get(TreeAlerts.nameOf(alert));
      if (own != null) {
        above.addAll(own.parents());
      }
    } else {
      leavesByAlert
          .getOrDefault(alert.getFingerprint(), List.of())
          .forEach(leaf -> above.addAll(leaf.trees));
    }
    Set<String> names = new LinkedHashSet<>();
    List<LinkedTree> next = new ArrayList<>(above);
    while (!next.isEmpty()) {
      List<LinkedTree> higher = new ArrayList<>();
      for (LinkedTree tree : next) {
        if (names.add(tree.tree().name())) {
          higher.addAll(tree.parents());
        }
      }
      next = higher;
    }
    return names;
  }

  /** Alerts under a tree that are active, and those that the trees under it may have. */
  Set<String> under(String name) {
    Set<String> fingerprints = new LinkedHashSet<>();
    Set<LinkedTree> seen = new HashSet<>();
    List<LinkedTree> next = new ArrayList<>();
    if (byName.containsKey(name)) {
      next.add(byName.get(name));
    }
    while (!next.isEmpty()) {
      LinkedTree tree = next.remove(next.size() - 1);
      if (seen.add(tree)) {
        tree.leaves().forEach(leaf -> fingerprints.addAll(leaf.byFingerprint.keySet()));
        for (LinkedTree child : tree.children()) {
          fingerprints.add(TreeAlerts.topFingerprint(child.tree().name()));
          fingerprints.add(TreeAlerts.redundancyFingerprint(child.tree().name()));
          next.add(child);
        }
      }
    }
    return fingerprints;
  }
}
