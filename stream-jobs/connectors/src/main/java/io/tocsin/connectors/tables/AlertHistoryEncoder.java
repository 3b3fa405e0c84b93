package io.tocsin.connectors.tables;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.HeldBack;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.TreeStanding;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import java.util.List;

/**
 * Transitions of alerts to table {@code alert_history}; its enum numbers are those of the messages.
 */
final class AlertHistoryEncoder extends RowEncoder<Told<Alert>> {
  AlertHistoryEncoder() {
    super(
        "alert_history",
        List.of(
            "fingerprint",
            "fingerprint_fields",
            "version",
            "told_at",
            "transition",
            "transition_at",
            "state",
            "severity",
            "source",
            "device",
            "check",
            "summary",
            "site",
            "labels",
            "first_seen",
            "last_seen",
            "resolved_at",
            "update_count",
            "storm_id",
            "cause",
            "event_id",
            "member_count",
            "rule",
            "runbook",
            "expires_at",
            "acknowledged_by",
            "acknowledged_at",
            "acknowledged_until",
            "note",
            "noted_by",
            "raised_by",
            "rule_pushed_at",
            "held_back",
            "cut_sets",
            "tree_down",
            "tree_next",
            "tree_left_out"));
  }

  @Override
  public boolean isAwaited() {
    return true;
  }

  @Override
  public void encode(Told<Alert> told, NativeWriter row) {
    Alert alert = told.message();
    boolean isOver = alert.hasResolvedAtUnixNanos();
    row.string(alert.getFingerprint())
        .stringMap(alert.getFingerprintFieldsMap())
        .uint64(alert.getVersion())
        .dateTime64Nanos(told.atUnixNanos())
        .enum8(
            "transition",
            alert.getTransitionValue(),
            AlertTransition.ALERT_TRANSITION_OPENED_VALUE,
            AlertTransition.ALERT_TRANSITION_NOTED_VALUE)
        .dateTime64Nanos(transitionAt(alert))
        .enum8(
            "state",
            alert.getStateValue(),
            AlertState.ALERT_STATE_OPEN_VALUE,
            AlertState.ALERT_STATE_SUPPRESSED_VALUE)
        .enum8(
            "severity",
            alert.getSeverityValue(),
            Severity.SEVERITY_CLEARED_VALUE,
            Severity.SEVERITY_CRITICAL_VALUE)
        .string(alert.getSource())
        .string(alert.getDevice())
        .string(alert.getCheck())
        .string(alert.getSummary())
        .string(siteOf(alert))
        .stringMap(alert.getLabelsMap())
        .dateTime64Nanos(alert.getFirstSeenUnixNanos())
        .dateTime64Nanos(alert.getLastSeenUnixNanos())
        .nullableDateTime64Nanos(isOver, alert.getResolvedAtUnixNanos())
        .uint64(alert.getUpdateCount())
        .string(alert.getStormId())
        .string(alert.getCause())
        .string(alert.getEventId())
        .uint32(alert.getMemberCount())
        .string(alert.getRule())
        .string(alert.getRunbook())
        .nullableDateTime64Nanos(alert.hasExpiresAtUnixNanos(), alert.getExpiresAtUnixNanos())
        .string(alert.getAcknowledgedBy())
        .nullableDateTime64Nanos(
            alert.hasAcknowledgedAtUnixNanos(), alert.getAcknowledgedAtUnixNanos())
        .nullableDateTime64Nanos(
            alert.hasAcknowledgedUntilUnixNanos(), alert.getAcknowledgedUntilUnixNanos())
        .string(alert.getNote())
        .string(alert.getNotedBy())
        .stringArray(alert.getRaisedByList())
        .nullableDateTime64Nanos(alert.hasRulePushedAtUnixNanos(), alert.getRulePushedAtUnixNanos())
        .array(alert.getHeldBackList(), AlertHistoryEncoder::heldBack);
    tree(alert.getTree(), row);
  }

  private static void heldBack(HeldBack held, NativeWriter element) {
    element
        .string(held.getCause())
        .string(held.getName())
        .dateTime64Nanos(held.getSinceUnixNanos());
  }

  private static void tree(TreeStanding tree, NativeWriter row) {
    row.array(tree.getCutSetsList(), (set, element) -> element.stringArray(set.getPartsList()))
        .array(
            tree.getDownList(),
            (part, element) -> element.string(part.getName()).string(part.getFingerprint()))
        .stringArray(tree.getNextList())
        .uint32(tree.getLeftOut());
  }

  private static long transitionAt(Alert alert) {
    if (alert.hasSaidAtUnixNanos()) {
      return alert.getSaidAtUnixNanos();
    }
    return alert.hasResolvedAtUnixNanos()
        ? alert.getResolvedAtUnixNanos()
        : alert.getLastSeenUnixNanos();
  }

  /** The configured place, else the one that the monitor tells in a label: pages do the same. */
  private static String siteOf(Alert alert) {
    return alert.getSite().isEmpty() ? alert.getLabelsOrDefault("site", "") : alert.getSite();
  }
}
