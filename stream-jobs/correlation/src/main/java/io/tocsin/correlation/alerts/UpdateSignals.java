package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a monitor's alert update says about one alert. An update is a raise; a delete, or an update
 * with severity cleared, is a clear.
 */
public final class UpdateSignals {
  /**
   * Of a finding, which its job repeats each hour at least while it holds. One that is repeated no
   * more is of a run that crashed: what was read again found nothing, and so has nothing to clear.
   */
  private static final Duration FINDING_EXPIRY = Duration.ofDays(1);

  private UpdateSignals() {}

  /**
   * The signal of an event; nothing for another body, and for an action newer than this build,
   * which the archive rejects.
   */
  public static Optional<Signal> of(Event event) {
    if (!event.hasAlertUpdate() || !isKnown(event.getAlertUpdate().getAction())) {
      return Optional.empty();
    }
    AlertUpdate update = event.getAlertUpdate();
    return Optional.of(
        Signal.newBuilder()
            .setKind(isClear(update) ? Signal.Kind.KIND_CLEAR : Signal.Kind.KIND_RAISE)
            .putAllFingerprintFields(identity(event))
            .setSeverity(severityOf(update))
            .setSource(update.getSource())
            .setDevice(event.getDevice())
            .setCheck(update.getCheck())
            .setSummary(update.getSummary())
            .setSite(event.getSite())
            .putAllLabels(update.getLabelsMap())
            .setEventTimeUnixNanos(event.getEventTimeUnixNanos())
            .setReceivedAtUnixNanos(event.getReceivedAtUnixNanos())
            .setEventId(event.getEventId())
            .setRunbook(runbook(update))
            .setExpiresAfterSeconds(
                isOwnFinding(event) && !isClear(update) ? (int) FINDING_EXPIRY.toSeconds() : 0)
            .build());
  }

  /**
   * The signal of a monitor's event, with the silence after which its alert expires: one that is
   * gone clears nothing, and a stranger who made up a name never will.
   */
  public static Optional<Signal> of(Event event, UpdateExpiry expiry) {
    Duration expiresAfter = expiry.ofSource(event.getAlertUpdate().getSource());
    return of(event)
        .map(
            signal ->
                signal.getKind() == Signal.Kind.KIND_RAISE
                    ? signal.toBuilder()
                        .setExpiresAfterSeconds((int) expiresAfter.toSeconds())
                        .build()
                    : signal);
  }

  /** The job that found it is its agent; what a stranger sends has the agent that received it. */
  public static boolean isOwnFinding(Event event) {
    return Finding.JOBS.contains(event.getAgentId())
        && event.getAgentId().equals(event.getAlertUpdate().getSource());
  }

  /**
   * Who says it, about what and where. Severity, summary and labels are deliberately no part of it:
   * they change while the alert stays the same. The exception are labels that the update names,
   * because a device has several links and groups.
   */
  private static SortedMap<String, String> identity(Event event) {
    SortedMap<String, String> fields = new TreeMap<>();
    fields.put("source", event.getAlertUpdate().getSource());
    fields.put("device", event.getDevice());
    fields.put("check", event.getAlertUpdate().getCheck());
    if (!event.getSite().isEmpty()) {
      fields.put("site", event.getSite());
    }
    for (String label : event.getAlertUpdate().getFingerprintLabelsList()) {
      fields.put("labels." + label, event.getAlertUpdate().getLabelsOrDefault(label, ""));
    }
    return fields;
  }

  /**
   * A finding of Tocsin's own has a runbook of its check's name. Strangers can send its source too,
   * so that nothing else than such a name becomes a link.
   */
  private static String runbook(AlertUpdate update) {
    boolean isFinding = update.getSource().startsWith("tocsin-") && isRunbook(update.getCheck());
    return isFinding ? update.getCheck() : "";
  }

  /** Words of small letters with one hyphen between two. */
  private static boolean isRunbook(String name) {
    boolean isInWord = false;
    for (int i = 0; i < name.length(); i++) {
      boolean isLetter = name.charAt(i) >= 'a' && name.charAt(i) <= 'z';
      if (!isLetter && !(name.charAt(i) == '-' && isInWord)) {
        return false;
      }
      isInWord = isLetter;
    }
    return isInWord;
  }

  private static boolean isKnown(AlertUpdate.Action action) {
    return action == AlertUpdate.Action.ACTION_UPDATE || action == AlertUpdate.Action.ACTION_DELETE;
  }

  private static boolean isClear(AlertUpdate update) {
    return update.getAction() == AlertUpdate.Action.ACTION_DELETE
        || update.getSeverity() == Severity.SEVERITY_CLEARED;
  }

  private static Severity severityOf(AlertUpdate update) {
    boolean isTold =
        update.getSeverity() != Severity.SEVERITY_UNSPECIFIED
            && update.getSeverity() != Severity.UNRECOGNIZED;
    return isTold ? update.getSeverity() : Severity.SEVERITY_INDETERMINATE;
  }
}
