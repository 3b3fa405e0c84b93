package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Signal;

/**
 * The life of one alert, whatever may explain it: the {@link Gate} says whether it pages.
 *
 * <pre>
 *                raise: opened                      raise: refreshed, severity_changed or nothing
 *   not open ─────────────────────▶ open ──────────────────────────────────────────────────────▶ open
 *       ▲    ◀─────────────────────  │
 *       │        clear: resolved     │ raise again and again: flapping_started
 *       │      silence: expired      ▼
 *       └─────────────────────── flapping ───▶ open
 *                         calm: flapping_ended
 * </pre>
 *
 * <p>Order is that of event time, not of arrival: the alert is open when its newest raise is newer
 * than its newest clear. At equal times the one that arrives later wins. So a late clear does not
 * close what was raised after it, and a late raise does not open what was cleared or expired after
 * it.
 *
 * <p>Nothing happens after it was received: a later event time is taken for the time of receipt.
 * Otherwise an alert of a device whose clock was ahead would stay open until its clear is as late.
 *
 * <p>Expiry, flapping and forgetting are measured on the agents' clock, received_at, which
 * watermarks follow: a device whose clock is behind would expire at once.
 *
 * <p>While an alert flaps, its openings and ends are counted in silence; it is told that it flaps,
 * at most once an interval that it still does, and where it stands when it is calm.
 *
 * <p>A signal of an event that is among the newest {@link #EVENTS_REMEMBERED} of its alert is a
 * repeated delivery and changes nothing.
 */
public final class AlertRules {
  /** How many events of an alert are known again when they are delivered twice. */
  static final int EVENTS_REMEMBERED = 8;

  private final AlertTiming timing;

  /** Rules with their durations. */
  public AlertRules(AlertTiming timing) {
    this.timing = timing;
  }

  /**
   * Takes one signal.
   *
   * @param state of the signal's fingerprint, null where there is none
   * @param signal that raises or clears
   */
  public Step onSignal(TrackedAlert state, Signal signal) {
    TrackedAlert known = state == null ? TrackedAlert.UNKNOWN : state;
    long eventHash = EventHash.of(signal.getEventId());
    if (known.hasHeard(eventHash)) {
      return Step.silent(known);
    }
    TrackedAlert heard = known.hearing(signal, eventHash);
    return switch (signal.getKind()) {
      case KIND_RAISE -> onRaise(known, heard, signal);
      case KIND_CLEAR -> onClear(known, heard, signal);
      case KIND_UNSPECIFIED, UNRECOGNIZED -> Step.silent(state);
    };
  }

  private Step onRaise(TrackedAlert known, TrackedAlert heard, Signal signal) {
    long time = TrackedAlert.happenedAt(signal);
    if (time < known.newestClearUnixNanos()) {
      return remember(heard);
    }
    if (known.isRaised()) {
      return onRefresh(heard.with(known.occurrence().raised(signal)), time);
    }
    TrackedAlert raised = heard.raised(signal, timing.flappingOpens());
    if (known.isFlapping()) {
      return onRefresh(raised.with(known.occurrence().raised(signal)), time);
    }
    if (raised.opensWithin(timing.flappingWindowNanos()) >= timing.flappingOpens()) {
      TrackedAlert flapping = raised.with(Occurrence.of(signal)).flapping(true);
      return tell(flapping, AlertTransition.ALERT_TRANSITION_FLAPPING_STARTED, signal);
    }
    return tell(
        raised.with(Occurrence.of(signal)), AlertTransition.ALERT_TRANSITION_OPENED, signal);
  }

  private Step onRefresh(TrackedAlert now, long time) {
    Occurrence occurrence = now.occurrence();
    boolean isDue = time - occurrence.toldAtUnixNanos() >= timing.refreshIntervalNanos();
    boolean isOtherSeverity = occurrence.severity() != occurrence.toldSeverity();
    if (isOtherSeverity && !now.isFlapping()) {
      return tell(now, AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED, time);
    }
    return isDue ? tell(now, AlertTransition.ALERT_TRANSITION_REFRESHED, time) : remember(now);
  }

  private Step onClear(TrackedAlert known, TrackedAlert heard, Signal signal) {
    long time = TrackedAlert.happenedAt(signal);
    boolean isOver = known.isRaised() && time >= known.newestRaiseUnixNanos();
    if (!isOver) {
      return remember(heard);
    }
    if (known.isFlapping()) {
      return remember(heard.cleared());
    }
    return end(
        heard.cleared(),
        AlertTransition.ALERT_TRANSITION_RESOLVED,
        time,
        signal.getReceivedAtUnixNanos(),
        signal.getEventId());
  }

  /**
   * Takes a timer.
   *
   * @param state of the fingerprint that asked for it
   * @param nowUnixNanos event time the stream has reached
   */
  public Step onTimer(TrackedAlert state, long nowUnixNanos) {
    if (state == null) {
      return Step.silent(null);
    }
    TrackedAlert known = state.afterTimerAt(nowUnixNanos);
    if (expiresAt(known) <= nowUnixNanos) {
      return end(
          known.expired(),
          AlertTransition.ALERT_TRANSITION_EXPIRED,
          expiresAt(known),
          expiresAt(known),
          known.occurrence().signal().getEventId());
    }
    if (calmAt(known) <= nowUnixNanos) {
      return onCalm(known);
    }
    return forgottenAt(known) <= nowUnixNanos ? Step.silent(null) : remember(known);
  }

  private Step onCalm(TrackedAlert known) {
    long calmAt = calmAt(known);
    TrackedAlert calm = known.flapping(false);
    if (!known.isRaised()) {
      return end(
          calm,
          AlertTransition.ALERT_TRANSITION_FLAPPING_ENDED,
          known.newestClearUnixNanos(),
          calmAt,
          known.occurrence().signal().getEventId());
    }
    TrackedAlert told =
        calm.told(calmAt).with(calm.occurrence().toldAt(calm.occurrence().lastSeenUnixNanos()));
    return tellAlso(
        told,
        told.alert(AlertTransition.ALERT_TRANSITION_FLAPPING_ENDED, AlertState.ALERT_STATE_OPEN));
  }

  private Step tell(TrackedAlert now, AlertTransition transition, Signal signal) {
    return tell(now, transition, TrackedAlert.happenedAt(signal));
  }

  private Step tell(TrackedAlert now, AlertTransition transition, long time) {
    TrackedAlert told = now.told(now.heardAtUnixNanos()).with(now.occurrence().toldAt(time));
    AlertState state =
        now.isFlapping() ? AlertState.ALERT_STATE_FLAPPING : AlertState.ALERT_STATE_OPEN;
    return tellAlso(told, told.alert(transition, state));
  }

  /**
   * Ends what was told as active.
   *
   * @param endedAt event time of the end
   * @param now of the agents' clock
   */
  private Step end(
      TrackedAlert ended, AlertTransition transition, long endedAt, long now, String eventId) {
    AlertState state =
        transition == AlertTransition.ALERT_TRANSITION_EXPIRED
            ? AlertState.ALERT_STATE_EXPIRED
            : AlertState.ALERT_STATE_RESOLVED;
    TrackedAlert told = ended.told(now);
    // A raise that was late may have been seen after the end.
    long resolvedAt = Math.max(endedAt, told.occurrence().firstSeenUnixNanos());
    return tellAlso(
        told.with(null).flapping(false),
        told.alert(transition, state).toBuilder()
            .setResolvedAtUnixNanos(resolvedAt)
            .clearExpiresAtUnixNanos()
            .setEventId(eventId)
            .build());
  }

  private Step tellAlso(TrackedAlert state, Alert alert) {
    return Step.telling(remember(state), alert);
  }

  /** Asks for a timer only if none is set that is early enough. */
  private Step remember(TrackedAlert state) {
    long due = Math.min(Math.min(expiresAt(state), calmAt(state)), forgottenAt(state));
    boolean isSet = state.timerAtUnixNanos() != TrackedAlert.NEVER;
    if (due == Long.MAX_VALUE || isSet && state.timerAtUnixNanos() <= due) {
      return Step.silent(state);
    }
    return Step.wakingAt(state.timerAt(due), due);
  }

  private static long expiresAt(TrackedAlert state) {
    return state.isRaised() ? state.occurrence().expiresAtUnixNanos() : Long.MAX_VALUE;
  }

  /** When so many openings are old that those left are no flapping. */
  private long calmAt(TrackedAlert state) {
    return state.isFlapping()
        ? state.openingBefore(timing.flappingOpens() / 2) + timing.flappingWindowNanos()
        : Long.MAX_VALUE;
  }

  private long forgottenAt(TrackedAlert state) {
    return state.occurrence() == null
        ? state.heardAtUnixNanos() + timing.forgetAfterNanos()
        : Long.MAX_VALUE;
  }
}
