package io.tocsin.connectors.alertmanager;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.model.EnumWords;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An alert as Alertmanager's API v2 takes it (postableAlert of its OpenAPI file). Alertmanager
 * knows an alert by its labels: the same labels are the same alert.
 *
 * @param labels that identify it
 * @param annotations for people
 * @param startsAt RFC 3339, when it was posted. Alertmanager gathers a group from the start of its
 *     first alert on and tells at once what is older, so late news of a burst would be a page each
 * @param endsAt RFC 3339; when it was posted, if it is over
 * @param generatorURL where a person sees more
 */
record AlertmanagerAlert(
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations,
    String startsAt,
    String endsAt,
    String generatorURL) {

  /**
   * Resend intervals of silence after which Alertmanager takes an open alert for over, so that it
   * outlives Tocsin by minutes only.
   */
  static final int INTERVALS_UNTIL_EXPIRY = 4;

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /**
   * Translates an alert.
   *
   * @param now by the wall clock, the only one that Alertmanager knows. When it began and ended by
   *     the device's clock, which may be wrong, people are told by annotations
   */
  static AlertmanagerAlert of(Alert alert, Instant now, Duration resendInterval, PageLinks links) {
    boolean isOpen = !alert.hasResolvedAtUnixNanos();
    Instant endsAt = isOpen ? now.plus(resendInterval.multipliedBy(INTERVALS_UNTIL_EXPIRY)) : now;
    return new AlertmanagerAlert(
        labels(alert),
        annotations(alert, links),
        now.toString(),
        endsAt.toString(),
        links.dashboard(alert.getFingerprint()));
  }

  /** The same news, posted at another time. */
  AlertmanagerAlert postedAt(Instant time) {
    Duration lasts = Duration.between(Instant.parse(startsAt), Instant.parse(endsAt));
    return new AlertmanagerAlert(
        labels, annotations, time.toString(), time.plus(lasts).toString(), generatorURL);
  }

  private static SortedMap<String, String> labels(Alert alert) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("alertname", alert.getCheck());
    labels.put("severity", severityWord(alert.getSeverity()));
    labels.put("source", alert.getSource());
    labels.put("device", alert.getDevice());
    labels.put("fingerprint", alert.getFingerprint());
    if (!alert.getSite().isEmpty()) {
      labels.put("site", alert.getSite());
    }
    // Sorted, so that of two names that become the same one, the same one wins each time.
    new TreeMap<>(alert.getLabelsMap())
        .forEach(
            (name, value) -> {
              if (!value.isEmpty()) {
                labels.putIfAbsent(labelName(name), value);
              }
            });
    return Collections.unmodifiableSortedMap(labels);
  }

  /** A severity newer than this build must page like any other: it cannot be told. */
  private static String severityWord(Severity severity) {
    return EnumWords.wordOf(
        EnumWords.isSpecified(severity) ? severity : Severity.SEVERITY_INDETERMINATE);
  }

  /**
   * A name that Prometheus takes: [a-zA-Z_][a-zA-Z0-9_]*, without the double underscore that is
   * reserved.
   */
  static String labelName(String name) {
    String allowed = name.replaceAll("[^a-zA-Z0-9_]", "_").replaceAll("^_{2,}", "_");
    return allowed.isEmpty() || Character.isDigit(allowed.charAt(0)) ? "_" + allowed : allowed;
  }

  /** What, since when, how often, why, and where to go on. What has nothing to say is left out. */
  private static SortedMap<String, String> annotations(Alert alert, PageLinks links) {
    SortedMap<String, String> annotations = new TreeMap<>();
    annotations.put("summary", alert.getSummary());
    annotations.put("first_seen", instant(alert.getFirstSeenUnixNanos()).toString());
    annotations.put("last_seen", instant(alert.getLastSeenUnixNanos()).toString());
    annotations.put(
        "resolved_at",
        alert.hasResolvedAtUnixNanos() ? instant(alert.getResolvedAtUnixNanos()).toString() : "");
    annotations.put(
        "expires_at",
        alert.hasExpiresAtUnixNanos() ? instant(alert.getExpiresAtUnixNanos()).toString() : "");
    annotations.put("update_count", Long.toUnsignedString(alert.getUpdateCount()));
    annotations.put("cause", alert.getCause());
    annotations.put("state", alert.getState() == AlertState.ALERT_STATE_FLAPPING ? "flapping" : "");
    annotations.put(
        "member_count",
        alert.getMemberCount() == 0 ? "" : Integer.toUnsignedString(alert.getMemberCount()));
    annotations.put("acknowledged_by", alert.getAcknowledgedBy());
    annotations.put(
        "acknowledged_at",
        alert.hasAcknowledgedAtUnixNanos()
            ? instant(alert.getAcknowledgedAtUnixNanos()).toString()
            : "");
    annotations.put("note", alert.getNote());
    annotations.put("noted_by", alert.getNotedBy());
    annotations.put("rule", alert.getRule());
    PageReasons.annotate(alert, annotations);
    annotations.put(
        "runbook", alert.getRunbook().isEmpty() ? "" : links.runbook(alert.getRunbook()));
    annotations.put("dashboard", links.dashboard(alert.getFingerprint()));
    annotations.values().removeIf(String::isEmpty);
    return Collections.unmodifiableSortedMap(annotations);
  }

  private static Instant instant(long unixNanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(unixNanos, NANOS_PER_SECOND), Math.floorMod(unixNanos, NANOS_PER_SECOND));
  }
}
