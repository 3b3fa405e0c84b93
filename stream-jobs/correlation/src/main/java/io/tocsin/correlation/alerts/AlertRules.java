package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Step;
import java.util.List;

/**
 * The transitions of one alert, whatever may explain it: the {@link Gate} says whether it pages.
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
 * And a clock that is behind by more than a bound is set right ({@link TrackedAlert#happenedAt}):
 * otherwise what a host says that has started with a clock of 1970, or a router that tells local
 * time, would be older than the clear that another clock timed, and be lost.
 *
 * <p>Expiry, flapping and forgetting are measured on the agents' clock, received_at, which
 * watermarks follow: a device whose clock is behind would expire at once.
 *
 * <p>While an alert flaps, its openings and ends are counted in silence; it is told that it flaps,
 * at most once an interval that it still does, and where it stands when it is calm.
 *
 * <p>A signal of an event that is among the newest {@link TrackedAlert#EVENTS_REMEMBERED} of its
 * alert is a repeated delivery and changes nothing.
 */
public final class AlertRules implements KeyedRules<Signal, TrackedAlert, Alert> {
  private final AlertTiming timing;

  /** Rules with their durations. */
  public AlertRules(AlertTiming timing) {
    this.timing = timing;
  }

  @Override
  public Step<TrackedAlert, Alert> onInput(TrackedAlert state, Signal signal) {
    TrackedAlert alert = state == null ? new TrackedAlert() : state;
    long eventHash = EventHash.of(signal.getEventId());
    if (alert.isRepeated(eventHash)) {
      return Step.keep(alert, nextTimer(alert));
    }
    return switch (signal.getKind()) {
      case KIND_RAISE -> {
        long time = alert.happenedAt(signal, timing.maxClockDeviationNanos());
        alert.receive(signal, time, eventHash);
        yield onRaise(alert, signal, time);
      }
      case KIND_CLEAR -> {
        long time = alert.happenedAt(signal, timing.maxClockDeviationNanos());
        alert.receive(signal, time, eventHash);
        yield onClear(alert, signal, time);
      }
      case KIND_UNSPECIFIED, UNRECOGNIZED -> Step.keep(state);
    };
  }

  private Step<TrackedAlert, Alert> onRaise(TrackedAlert alert, Signal signal, long time) {
    if (time < alert.newestClearUnixNanos) {
      return Step.keep(alert, nextTimer(alert));
    }
    if (!alert.isRaised) {
      alert.raise(signal, timing.flappingOpens());
      if (!alert.isFlapping) {
        return open(alert, signal, time);
      }
    }
    alert.occurrence.raise(signal, time);
    return onRefresh(alert, time);
  }

  private Step<TrackedAlert, Alert> open(TrackedAlert alert, Signal signal, long time) {
    alert.occurrence = Occurrence.of(signal, time);
    alert.isFlapping = alert.opensWithin(timing.flappingWindowNanos()) >= timing.flappingOpens();
    AlertTransition transition =
        alert.isFlapping
            ? AlertTransition.ALERT_TRANSITION_FLAPPING_STARTED
            : AlertTransition.ALERT_TRANSITION_OPENED;
    return emit(alert, transition, time);
  }

  private Step<TrackedAlert, Alert> onRefresh(TrackedAlert alert, long time) {
    Occurrence occurrence = alert.occurrence;
    if (occurrence.severity != occurrence.emittedSeverity && !alert.isFlapping) {
      return emit(alert, AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED, time);
    }
    boolean isDue = time - occurrence.emittedAtUnixNanos >= timing.refreshIntervalNanos();
    return isDue
        ? emit(alert, AlertTransition.ALERT_TRANSITION_REFRESHED, time)
        : Step.keep(alert, nextTimer(alert));
  }

  private Step<TrackedAlert, Alert> onClear(TrackedAlert alert, Signal signal, long time) {
    boolean isOver = alert.isRaised && time >= alert.newestRaiseUnixNanos;
    if (isOver) {
      alert.isRaised = false;
    }
    if (!isOver || alert.isFlapping) {
      return Step.keep(alert, nextTimer(alert));
    }
    AlertTransition transition = AlertTransition.ALERT_TRANSITION_RESOLVED;
    return end(alert, transition, time, signal.getReceivedAtUnixNanos(), signal.getEventId());
  }

  @Override
  public Step<TrackedAlert, Alert> onTimer(TrackedAlert alert, long nowUnixNanos) {
    long expiresAt = expiresAt(alert);
    if (expiresAt <= nowUnixNanos) {
      alert.expire();
      String eventId = alert.occurrence.signal().getEventId();
      AlertTransition transition = AlertTransition.ALERT_TRANSITION_EXPIRED;
      return end(alert, transition, expiresAt, expiresAt, eventId);
    }
    if (calmAt(alert) <= nowUnixNanos) {
      return onCalm(alert);
    }
    return forgottenAt(alert) <= nowUnixNanos
        ? Step.forget(Tombstone.of(alert))
        : Step.keep(alert, nextTimer(alert));
  }

  private Step<TrackedAlert, Alert> onCalm(TrackedAlert alert) {
    long calmAt = calmAt(alert);
    AlertTransition transition = AlertTransition.ALERT_TRANSITION_FLAPPING_ENDED;
    alert.isFlapping = false;
    if (!alert.isRaised) {
      String eventId = alert.occurrence.signal().getEventId();
      return end(alert, transition, alert.newestClearUnixNanos, calmAt, eventId);
    }
    alert.nextVersion(calmAt);
    alert.occurrence.emittedAt(alert.occurrence.lastSeenUnixNanos);
    return emit(alert, alert.alert(transition, AlertState.ALERT_STATE_OPEN));
  }

  private Step<TrackedAlert, Alert> emit(
      TrackedAlert alert, AlertTransition transition, long time) {
    alert.nextVersion(alert.receivedAtUnixNanos);
    alert.occurrence.emittedAt(time);
    AlertState state =
        alert.isFlapping ? AlertState.ALERT_STATE_FLAPPING : AlertState.ALERT_STATE_OPEN;
    return emit(alert, alert.alert(transition, state));
  }

  /**
   * Ends what was emitted as active.
   *
   * @param endedAt event time of the end
   * @param now of the agents' clock
   */
  private Step<TrackedAlert, Alert> end(
      TrackedAlert alert, AlertTransition transition, long endedAt, long now, String eventId) {
    AlertState state =
        transition == AlertTransition.ALERT_TRANSITION_EXPIRED
            ? AlertState.ALERT_STATE_EXPIRED
            : AlertState.ALERT_STATE_RESOLVED;
    alert.nextVersion(now);
    // A raise that was late may have been seen after the end.
    long resolvedAt = Math.max(endedAt, alert.occurrence.firstSeenUnixNanos);
    Alert ended =
        alert.alert(transition, state).toBuilder()
            .setResolvedAtUnixNanos(resolvedAt)
            .clearExpiresAtUnixNanos()
            .setEventId(eventId)
            .build();
    alert.fingerprint = ended.getFingerprint();
    alert.occurrence = null;
    alert.isFlapping = false;
    return emit(alert, ended);
  }

  private Step<TrackedAlert, Alert> emit(TrackedAlert state, Alert alert) {
    return new Step<>(state, List.of(alert), nextTimer(state));
  }

  private long nextTimer(TrackedAlert alert) {
    return Math.min(Math.min(expiresAt(alert), calmAt(alert)), forgottenAt(alert));
  }

  private static long expiresAt(TrackedAlert alert) {
    return alert.isRaised ? alert.occurrence.expiresAtUnixNanos : Step.NO_TIMER;
  }

  /** When so many openings are old that those left are no flapping. */
  private long calmAt(TrackedAlert alert) {
    return alert.isFlapping
        ? alert.openingBefore(timing.flappingOpens() / 2) + timing.flappingWindowNanos()
        : Step.NO_TIMER;
  }

  private long forgottenAt(TrackedAlert alert) {
    return alert.occurrence == null
        ? alert.receivedAtUnixNanos + timing.forgetAfterNanos()
        : Step.NO_TIMER;
  }
}
