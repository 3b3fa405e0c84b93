package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.alerts.TrackedAlert.Occurrence;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The life of one alert.
 *
 * <pre>
 *                raise: opened                      raise: refreshed, severity_changed or nothing
 *   not open ─────────────────────▶ open ──────────────────────────────────────────────────────▶ open
 *            ◀─────────────────────
 *                clear: resolved
 * </pre>
 *
 * <p>An update is a raise; a delete, or an update with severity cleared, is a clear. Order is that
 * of event time, not of arrival: the alert is open when its newest raise is newer than its newest
 * clear. At equal times the one that arrives later wins. So a late clear does not close what was
 * raised after it, and a late raise does not open what was cleared after it.
 *
 * <p>Nothing happens after it was received: a later event time is taken for the time of receipt.
 * Otherwise an alert of a device whose clock was ahead would stay open until its clear is as late.
 *
 * <p>An update with an action newer than this build changes nothing; the archive rejects it.
 *
 * <p>An event with the id of the one before it is a repeated delivery and changes nothing.
 * Deliberately absent: a list of all ids seen. Kafka's idempotent producer leaves no other repeats,
 * and counting one twice would not change whether the alert is open.
 */
public final class AlertRules {
  private final long refreshIntervalNanos;
  private final long forgetAfterNanos;

  /**
   * Rules with their two durations.
   *
   * @param refreshInterval least event time between {@code refreshed} transitions
   * @param forgetAfter how long the clear of an alert that never opened is remembered, by the
   *     agent's clock: a raise that was sent before it and comes later than that opens the alert
   */
  public AlertRules(Duration refreshInterval, Duration forgetAfter) {
    this.refreshIntervalNanos = refreshInterval.toNanos();
    this.forgetAfterNanos = forgetAfter.toNanos();
  }

  /**
   * Takes one alert update.
   *
   * @param state of the event's fingerprint, null where there is none
   * @param event with an alert update as its body
   */
  public Step onUpdate(TrackedAlert state, Event event) {
    if (!isKnown(event.getAlertUpdate().getAction())) {
      return Step.silent(state);
    }
    TrackedAlert known = state == null ? TrackedAlert.UNKNOWN : state;
    if (known.lastEventId().equals(event.getEventId())) {
      return Step.silent(known);
    }
    return isClear(event.getAlertUpdate()) ? onClear(known, event) : onRaise(known, event);
  }

  /**
   * Takes a timer.
   *
   * @param state of the fingerprint that asked for it
   * @param nowUnixNanos event time the stream has reached
   */
  public Step onTimer(TrackedAlert state, long nowUnixNanos) {
    boolean isForgotten =
        state == null || state.version() == 0 && state.forgetAtUnixNanos() <= nowUnixNanos;
    return Step.silent(isForgotten ? null : state);
  }

  private static boolean isKnown(AlertUpdate.Action action) {
    return action == AlertUpdate.Action.ACTION_UPDATE || action == AlertUpdate.Action.ACTION_DELETE;
  }

  private static boolean isClear(AlertUpdate update) {
    return update.getAction() == AlertUpdate.Action.ACTION_DELETE
        || update.getSeverity() == Severity.SEVERITY_CLEARED;
  }

  private Step onRaise(TrackedAlert known, Event event) {
    long time = happenedAt(event);
    if (time < known.newestClearUnixNanos()) {
      return remember(heard(known, event, known.version(), known.occurrence()));
    }
    if (!known.isOpen()) {
      Occurrence opened = opened(event);
      return tell(known, event, AlertTransition.ALERT_TRANSITION_OPENED, opened);
    }
    Occurrence before = known.occurrence();
    Occurrence now = raised(before, event);
    if (now.severity() != before.severity()) {
      return tell(
          known, event, AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED, now.toldAt(time));
    }
    if (time - before.toldAtUnixNanos() >= refreshIntervalNanos) {
      return tell(known, event, AlertTransition.ALERT_TRANSITION_REFRESHED, now.toldAt(time));
    }
    return remember(heard(known, event, known.version(), now));
  }

  private Step onClear(TrackedAlert known, Event event) {
    if (known.isOpen() && happenedAt(event) >= known.newestRaiseUnixNanos()) {
      return tell(known, event, AlertTransition.ALERT_TRANSITION_RESOLVED, known.occurrence());
    }
    return remember(heard(known, event, known.version(), known.occurrence()));
  }

  /** Nothing to tell; a fingerprint that never opened asks to be looked at again. */
  private static Step remember(TrackedAlert now) {
    return now.version() > 0
        ? Step.silent(now)
        : new Step(now, List.of(), OptionalLong.of(now.forgetAtUnixNanos()));
  }

  private static Occurrence opened(Event event) {
    long time = happenedAt(event);
    AlertUpdate update = event.getAlertUpdate();
    return new Occurrence(
        severityOf(update), update.getSummary(), update.getLabelsMap(), time, time, 1, time);
  }

  /** Counts a raise into an open alert; only the newest one says how the alert looks. */
  private static Occurrence raised(Occurrence before, Event event) {
    long time = happenedAt(event);
    AlertUpdate update = event.getAlertUpdate();
    boolean isNewest = time >= before.lastSeenUnixNanos();
    return new Occurrence(
        isNewest ? severityOf(update) : before.severity(),
        isNewest ? update.getSummary() : before.summary(),
        isNewest ? update.getLabelsMap() : before.labels(),
        Math.min(before.firstSeenUnixNanos(), time),
        Math.max(before.lastSeenUnixNanos(), time),
        before.updateCount() + 1,
        before.toldAtUnixNanos());
  }

  /** Unsigned, as on the wire: times after 2262 are negative in Java. */
  private static long happenedAt(Event event) {
    long eventTime = event.getEventTimeUnixNanos();
    long receivedAt = event.getReceivedAtUnixNanos();
    return Long.compareUnsigned(eventTime, receivedAt) > 0 ? receivedAt : eventTime;
  }

  private static Severity severityOf(AlertUpdate update) {
    boolean isTold =
        update.getSeverity() != Severity.SEVERITY_UNSPECIFIED
            && update.getSeverity() != Severity.UNRECOGNIZED;
    return isTold ? update.getSeverity() : Severity.SEVERITY_INDETERMINATE;
  }

  private Step tell(
      TrackedAlert known, Event event, AlertTransition transition, Occurrence occurrence) {
    boolean isResolved = transition == AlertTransition.ALERT_TRANSITION_RESOLVED;
    long version = known.version() + 1;
    TrackedAlert state = heard(known, event, version, isResolved ? null : occurrence);
    return Step.telling(state, alert(event, transition, version, occurrence));
  }

  /** The state after an event: the newest times move on, whatever else it did. */
  private TrackedAlert heard(TrackedAlert known, Event event, long version, Occurrence occurrence) {
    long time = happenedAt(event);
    boolean isClear = isClear(event.getAlertUpdate());
    long forgetAt =
        version > 0
            ? TrackedAlert.NEVER
            : Math.max(
                known.forgetAtUnixNanos(), event.getReceivedAtUnixNanos() + forgetAfterNanos);
    return new TrackedAlert(
        version,
        occurrence,
        isClear ? known.newestRaiseUnixNanos() : Math.max(known.newestRaiseUnixNanos(), time),
        isClear ? Math.max(known.newestClearUnixNanos(), time) : known.newestClearUnixNanos(),
        event.getEventId(),
        forgetAt);
  }

  private static Alert alert(
      Event event, AlertTransition transition, long version, Occurrence occurrence) {
    Map<String, String> fields = Fingerprint.fieldsOf(event);
    boolean isResolved = transition == AlertTransition.ALERT_TRANSITION_RESOLVED;
    Alert.Builder alert =
        Alert.newBuilder()
            .setFingerprint(Fingerprint.of(event))
            .putAllFingerprintFields(fields)
            .setState(isResolved ? AlertState.ALERT_STATE_RESOLVED : AlertState.ALERT_STATE_OPEN)
            .setTransition(transition)
            .setVersion(version)
            .setSeverity(occurrence.severity())
            .setSource(event.getAlertUpdate().getSource())
            .setDevice(event.getDevice())
            .setCheck(event.getAlertUpdate().getCheck())
            .setSummary(occurrence.summary())
            .setSite(event.getSite())
            .putAllLabels(occurrence.labels())
            .setFirstSeenUnixNanos(occurrence.firstSeenUnixNanos())
            .setLastSeenUnixNanos(occurrence.lastSeenUnixNanos())
            .setUpdateCount(occurrence.updateCount())
            .setEventId(event.getEventId());
    if (isResolved) {
      alert.setResolvedAtUnixNanos(happenedAt(event));
    }
    return alert.build();
  }
}
