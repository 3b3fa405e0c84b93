package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.CutSet;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.TreeStanding;
import io.tocsin.correlation.alerts.TreeStatus.DownPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The alerts of fault trees: of the top event, named as the tree, and of the loss of its
 * redundancy. An alert says which cut sets are satisfied, or what must not fail now.
 */
final class TreeAlerts {
  /** Who says so. */
  static final String SOURCE = "tree";

  /** Label of both alerts, and what their fingerprint is made from. */
  private static final String TREE = "tree";

  private static final String REDUNDANCY = "redundancy";
  private static final int TOLD_SETS = 4;
  private static final int TOLD_NAMES = 6;
  private static final int LISTED_PARTS = 64;

  private TreeAlerts() {}

  /** Whether an alert is one of a tree: only the gate makes fingerprints of these fields. */
  static boolean isTree(Alert alert) {
    return alert.getSource().equals(SOURCE) && !nameOf(alert).isEmpty();
  }

  /** Name of the tree of an alert; empty where it is of none. */
  static String nameOf(Alert alert) {
    Map<String, String> fields = alert.getFingerprintFieldsMap();
    return fields.containsKey("source") ? "" : fields.getOrDefault(TREE, "");
  }

  /** Whether an alert is the top event of a tree. */
  static boolean isTop(Alert alert) {
    return isTree(alert) && !alert.getFingerprintFieldsMap().containsKey(REDUNDANCY);
  }

  static String topFingerprint(String tree) {
    return Fingerprint.of(Map.of(TREE, tree));
  }

  static String redundancyFingerprint(String tree) {
    return Fingerprint.of(redundancyFields(tree));
  }

  private static Map<String, String> redundancyFields(String tree) {
    return Map.of(TREE, tree, REDUNDANCY, "lost");
  }

  /**
   * What changes in the alert of the top event.
   *
   * @param held as the gate has it, null where it is not active
   * @param version of the next transition
   */
  static Optional<Alert> top(TreeStatus status, Alert held, long version) {
    FaultTree tree = status.tree();
    Alert.Builder now =
        alert(status, Map.of(TREE, tree.name()), version)
            .setCheck(tree.name())
            .setSeverity(tree.severity())
            .setRunbook("fault-tree")
            .setSummary(topSummary(status));
    if (!tree.runbook().isEmpty()) {
      now.setRunbook(tree.runbook());
    }
    return next(now, status.isTop(), status.topFrom(), status.eventId(), held);
  }

  /** What changes in the alert of the lost redundancy. */
  static Optional<Alert> redundancy(TreeStatus status, Alert held, long version) {
    FaultTree tree = status.tree();
    boolean isTold = tree.redundancySeverity() != Severity.SEVERITY_UNSPECIFIED;
    Alert.Builder now =
        alert(status, redundancyFields(tree.name()), version)
            .setCheck(tree.name() + "-" + REDUNDANCY)
            .setSeverity(tree.redundancySeverity())
            .setRunbook("redundancy-lost")
            .setSummary(redundancySummary(status));
    return next(
        now,
        isTold && status.isRedundancyLost(),
        status.redundancyLostFrom(),
        status.eventId(),
        held);
  }

  /** The end of an alert whose tree is not there any more. */
  static Alert over(Alert held, long version) {
    return held.toBuilder()
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setTransition(AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setVersion(version)
        .setResolvedAtUnixNanos(Math.max(held.getFirstSeenUnixNanos(), version))
        .build();
  }

  private static Alert.Builder alert(TreeStatus status, Map<String, String> fields, long version) {
    FaultTree tree = status.tree();
    return Alert.newBuilder()
        .setFingerprint(Fingerprint.of(fields))
        .putAllFingerprintFields(fields)
        .setState(AlertState.ALERT_STATE_OPEN)
        .setVersion(version)
        .setSource(SOURCE)
        .setSite(tree.site())
        .putAllLabels(tree.labels())
        .putLabels(TREE, tree.name())
        .setTree(standing(status))
        .addAllRaisedBy(
            status.down().stream()
                .map(DownPart::eventId)
                .filter(id -> !id.isEmpty())
                .distinct()
                .limit(Occurrence.MOST_EVENTS)
                .toList());
  }

  private static TreeStanding standing(TreeStatus status) {
    List<DownPart> down = status.down().subList(0, shown(status.down(), LISTED_PARTS));
    List<String> next = status.next().subList(0, shown(status.next(), LISTED_PARTS));
    TreeStanding.Builder standing = TreeStanding.newBuilder().addAllNext(next);
    for (DownPart part : down) {
      standing.addDown(
          io.tocsin.alerts.v1.DownPart.newBuilder()
              .setName(part.name())
              .setFingerprint(part.fingerprint()));
    }
    for (List<String> set : status.cutSets()) {
      standing.addCutSets(
          CutSet.newBuilder().addAllParts(set.subList(0, shown(set, LISTED_PARTS))));
    }
    int listed = down.size() + next.size();
    return standing.setLeftOut(status.down().size() + status.next().size() - listed).build();
  }

  private static Optional<Alert> next(
      Alert.Builder now, boolean isTrue, long from, String eventId, Alert held) {
    if (!isTrue) {
      return held == null ? Optional.empty() : Optional.of(over(held, now.getVersion()));
    }
    now.setLastSeenUnixNanos(Math.max(from, now.getVersion()));
    if (held == null) {
      return Optional.of(
          now.setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
              .setFirstSeenUnixNanos(from)
              .setUpdateCount(1)
              .setEventId(eventId)
              .build());
    }
    boolean isSame =
        held.getSummary().equals(now.getSummary())
            && held.getSeverity() == now.getSeverity()
            && held.getLabelsMap().equals(now.getLabelsMap())
            && held.getSite().equals(now.getSite())
            && held.getTree().equals(now.getTree())
            && held.getFirstSeenUnixNanos() == from;
    if (isSame) {
      return Optional.empty();
    }
    AlertTransition transition =
        held.getSeverity() == now.getSeverity()
            ? AlertTransition.ALERT_TRANSITION_REFRESHED
            : AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED;
    return Optional.of(
        now.setTransition(transition)
            .setFirstSeenUnixNanos(from)
            .setUpdateCount(held.getUpdateCount() + 1)
            .setEventId(eventId)
            .build());
  }

  /** {@code array-7 is down by: d1 disk + d2 disk; or: ctl controller}. */
  private static String topSummary(TreeStatus status) {
    List<String> sets = new ArrayList<>();
    for (List<String> set : status.cutSets().subList(0, shown(status.cutSets(), TOLD_SETS))) {
      sets.add(names(set, " + "));
    }
    int others = status.cutSets().size() - sets.size();
    String more =
        status.hasMoreCutSets()
            ? "; or others, more than " + CutSets.MAX_SETS + " in all"
            : others > 0 ? "; or " + others + " more" : "";
    return status.tree().name() + " is down by: " + String.join("; or: ", sets) + more;
  }

  private static String redundancySummary(TreeStatus status) {
    String next =
        status.next().isEmpty()
            ? "nothing more need fail"
            : "it goes down with any of: " + names(status.next(), ", ");
    return status.tree().name()
        + " has lost its redundancy by: "
        + names(status.downNames(), ", ")
        + "; "
        + next;
  }

  private static String names(List<String> names, String separator) {
    int shown = shown(names, TOLD_NAMES);
    String told = String.join(separator, names.subList(0, shown));
    return shown == names.size() ? told : told + " and " + (names.size() - shown) + " more";
  }

  private static int shown(List<?> all, int most) {
    return Math.min(all.size(), most);
  }
}
