package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.TrackedAlert.Occurrence;
import java.time.Duration;
import java.util.List;
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
 * <p>Order is that of event time, not of arrival: the alert is open when its newest raise is newer
 * than its newest clear. At equal times the one that arrives later wins. So a late clear does not
 * close what was raised after it, and a late raise does not open what was cleared after it.
 *
 * <p>Nothing happens after it was received: a later event time is taken for the time of receipt.
 * Otherwise an alert of a device whose clock was ahead would stay open until its clear is as late.
 *
 * <p>A signal of the same event as the one before it is a repeated delivery and changes nothing.
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
   * Takes one signal.
   *
   * @param state of the signal's fingerprint, null where there is none
   * @param signal that raises or clears
   */
  public Step onSignal(TrackedAlert state, Signal signal) {
    TrackedAlert known = state == null ? TrackedAlert.UNKNOWN : state;
    if (known.lastEventId().equals(signal.getEventId())) {
      return Step.silent(known);
    }
    return isClear(signal) ? onClear(known, signal) : onRaise(known, signal);
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

  private static boolean isClear(Signal signal) {
    return signal.getKind() == Signal.Kind.KIND_CLEAR;
  }

  private Step onRaise(TrackedAlert known, Signal signal) {
    long time = happenedAt(signal);
    if (time < known.newestClearUnixNanos()) {
      return remember(heard(known, signal, known.version(), known.occurrence()));
    }
    if (!known.isOpen()) {
      Occurrence opened = opened(signal);
      return tell(known, signal, AlertTransition.ALERT_TRANSITION_OPENED, opened);
    }
    Occurrence before = known.occurrence();
    Occurrence now = raised(before, signal);
    if (now.severity() != before.severity()) {
      return tell(
          known, signal, AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED, now.toldAt(time));
    }
    if (time - before.toldAtUnixNanos() >= refreshIntervalNanos) {
      return tell(known, signal, AlertTransition.ALERT_TRANSITION_REFRESHED, now.toldAt(time));
    }
    return remember(heard(known, signal, known.version(), now));
  }

  private Step onClear(TrackedAlert known, Signal signal) {
    if (known.isOpen() && happenedAt(signal) >= known.newestRaiseUnixNanos()) {
      return tell(known, signal, AlertTransition.ALERT_TRANSITION_RESOLVED, known.occurrence());
    }
    return remember(heard(known, signal, known.version(), known.occurrence()));
  }

  /** Nothing to tell; a fingerprint that never opened asks to be looked at again. */
  private static Step remember(TrackedAlert now) {
    return now.version() > 0
        ? Step.silent(now)
        : new Step(now, List.of(), OptionalLong.of(now.forgetAtUnixNanos()));
  }

  private static Occurrence opened(Signal signal) {
    long time = happenedAt(signal);
    return new Occurrence(
        signal.getSeverity(), signal.getSummary(), signal.getLabelsMap(), time, time, 1, time);
  }

  /** Counts a raise into an open alert; only the newest one says how the alert looks. */
  private static Occurrence raised(Occurrence before, Signal signal) {
    long time = happenedAt(signal);
    boolean isNewest = time >= before.lastSeenUnixNanos();
    return new Occurrence(
        isNewest ? signal.getSeverity() : before.severity(),
        isNewest ? signal.getSummary() : before.summary(),
        isNewest ? signal.getLabelsMap() : before.labels(),
        Math.min(before.firstSeenUnixNanos(), time),
        Math.max(before.lastSeenUnixNanos(), time),
        before.updateCount() + 1,
        before.toldAtUnixNanos());
  }

  /** Unsigned, as on the wire: times after 2262 are negative in Java. */
  private static long happenedAt(Signal signal) {
    long eventTime = signal.getEventTimeUnixNanos();
    long receivedAt = signal.getReceivedAtUnixNanos();
    return Long.compareUnsigned(eventTime, receivedAt) > 0 ? receivedAt : eventTime;
  }

  private Step tell(
      TrackedAlert known, Signal signal, AlertTransition transition, Occurrence occurrence) {
    boolean isResolved = transition == AlertTransition.ALERT_TRANSITION_RESOLVED;
    long version = known.version() + 1;
    TrackedAlert state = heard(known, signal, version, isResolved ? null : occurrence);
    return Step.telling(state, alert(signal, transition, version, occurrence));
  }

  /** The state after an event: the newest times move on, whatever else it did. */
  private TrackedAlert heard(
      TrackedAlert known, Signal signal, long version, Occurrence occurrence) {
    long time = happenedAt(signal);
    boolean isClear = isClear(signal);
    long forgetAt =
        version > 0
            ? TrackedAlert.NEVER
            : Math.max(
                known.forgetAtUnixNanos(), signal.getReceivedAtUnixNanos() + forgetAfterNanos);
    return new TrackedAlert(
        version,
        occurrence,
        isClear ? known.newestRaiseUnixNanos() : Math.max(known.newestRaiseUnixNanos(), time),
        isClear ? Math.max(known.newestClearUnixNanos(), time) : known.newestClearUnixNanos(),
        signal.getEventId(),
        forgetAt);
  }

  private static Alert alert(
      Signal signal, AlertTransition transition, long version, Occurrence occurrence) {
    boolean isResolved = transition == AlertTransition.ALERT_TRANSITION_RESOLVED;
    Alert.Builder alert =
        Alert.newBuilder()
            .setFingerprint(Fingerprint.of(signal))
            .putAllFingerprintFields(signal.getFingerprintFieldsMap())
            .setState(isResolved ? AlertState.ALERT_STATE_RESOLVED : AlertState.ALERT_STATE_OPEN)
            .setTransition(transition)
            .setVersion(version)
            .setSeverity(occurrence.severity())
            .setSource(signal.getSource())
            .setDevice(signal.getDevice())
            .setCheck(signal.getCheck())
            .setSummary(occurrence.summary())
            .setSite(signal.getSite())
            .putAllLabels(occurrence.labels())
            .setFirstSeenUnixNanos(occurrence.firstSeenUnixNanos())
            .setLastSeenUnixNanos(occurrence.lastSeenUnixNanos())
            .setUpdateCount(occurrence.updateCount())
            .setRule(signal.getRule())
            .setRunbook(signal.getRunbook())
            .setEventId(signal.getEventId());
    if (isResolved) {
      alert.setResolvedAtUnixNanos(happenedAt(signal));
    }
    return alert.build();
  }
}
