package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Acknowledgement.Action;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What people say of alerts and storms: who works on one, and notes. Each word is told as a
 * transition, and what holds travels with every transition after it.
 *
 * <p>An acknowledgement is of one occurrence and of its severity: it ends with the alert, when the
 * alert becomes worse than the person saw it, when its time is up, and when it is withdrawn. Which
 * alert it was said of goes by time: the broker's, when it was said, and the agents', when the
 * alert opened and became worse. So it matters little whether the word or the event is read first,
 * and a replay ends where the first run ended.
 *
 * <p>A word of an alert that is not there waits until the stream is as far beyond it as for
 * everything else that may be read late. Then it is dropped and counted. So many can wait; beyond
 * that they are dropped at once.
 */
final class Acknowledgements {
  /** Words of alerts that are not there. */
  static final int MAX_WAITING = 10_000;

  private final GateState state;
  private final Storms storms;

  /** Alerts of which something was said; counted when it is needed first. */
  private int size = -1;

  /** No entry is due before that. */
  private long nextDueUnixNanos = Long.MIN_VALUE;

  Acknowledgements(GateState state, Storms storms) {
    this.state = state;
    this.storms = storms;
  }

  /** Takes a word. */
  void onSaid(Acknowledgement said, long clock, GateLog log) {
    Acknowledged held = state.acknowledged(said.getFingerprint());
    boolean hasNothingToWithdraw =
        said.getAction() == Action.ACTION_UNACKNOWLEDGE && (held == null || !held.isAcknowledged());
    if (hasNothingToWithdraw || held != null && held.isRepeated(said)) {
      return;
    }
    Alert alert = active(said.getFingerprint());
    boolean hasNoRoom = alert == null && held == null && size() >= MAX_WAITING;
    if (hasNoRoom || alert != null && !Acknowledged.concerns(alert, said)) {
      log.dropWord();
      return;
    }
    Acknowledged next = held == null ? new Acknowledged() : held;
    next.take(said);
    if (alert == null) {
      put(said.getFingerprint(), next, clock, log);
    } else {
      next.isTold = true;
      put(said.getFingerprint(), next, clock, log);
      tell(alert, transitionOf(said.getAction()), next, clock, log);
    }
  }

  private static AlertTransition transitionOf(Action action) {
    return switch (action) {
      case ACTION_ACKNOWLEDGE -> AlertTransition.ALERT_TRANSITION_ACKNOWLEDGED;
      case ACTION_UNACKNOWLEDGE -> AlertTransition.ALERT_TRANSITION_UNACKNOWLEDGED;
      case ACTION_NOTE, ACTION_UNSPECIFIED, UNRECOGNIZED -> AlertTransition.ALERT_TRANSITION_NOTED;
    };
  }

  /** An alert or storm is active now: what was said of it, and waited for it, is told. */
  void onBegun(String fingerprint, long clock, GateLog log) {
    Acknowledged held = state.acknowledged(fingerprint);
    if (held == null || held.isTold) {
      return;
    }
    Alert alert = active(fingerprint);
    held.dropWhatIsNotOf(alert);
    if (held.isNothing()) {
      remove(fingerprint);
      log.dropWord();
      return;
    }
    held.isTold = true;
    put(fingerprint, held, clock, log);
    Action action = held.isAcknowledged() ? Action.ACTION_ACKNOWLEDGE : Action.ACTION_NOTE;
    tell(alert, transitionOf(action), held, clock, log);
  }

  /** A transition as it is told, with what people have said. */
  Alert onTransition(Alert alert, GateLog log) {
    Acknowledged held = state.acknowledged(alert.getFingerprint());
    if (held == null || !held.isTold || Tombstone.is(alert)) {
      return alert;
    }
    if (isOver(alert)) {
      onOver(alert, held, log);
      return alert;
    }
    if (held.dropWhatIsNotOf(alert)) {
      state.putAcknowledged(alert.getFingerprint(), held);
    }
    return held.on(alert);
  }

  private static boolean isOver(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_RESOLVED
        || alert.getState() == AlertState.ALERT_STATE_EXPIRED;
  }

  /** What was said after the end is of an occurrence that is not read yet. */
  private void onOver(Alert alert, Acknowledged held, GateLog log) {
    if (held.saidAtUnixNanos > alert.getVersion()) {
      held.isTold = false;
      put(alert.getFingerprint(), held, alert.getVersion(), log);
    } else {
      remove(alert.getFingerprint());
    }
  }

  /** An alert of the gate as it stands, with what people have said. */
  Alert standing(Alert alert) {
    Acknowledged held = state.acknowledged(alert.getFingerprint());
    return held == null || !held.isTold ? alert : held.on(alert);
  }

  /** Ends what has run out, and drops what has waited in vain. */
  void onTimer(long now, GateLog log) {
    if (now < nextDueUnixNanos) {
      return;
    }
    nextDueUnixNanos = Long.MAX_VALUE;
    List<String> due = new ArrayList<>();
    for (Map.Entry<String, Acknowledged> entry : state.acknowledged()) {
      if (dueAt(entry.getValue()) <= now) {
        due.add(entry.getKey());
      } else {
        nextDueUnixNanos = Math.min(nextDueUnixNanos, dueAt(entry.getValue()));
      }
    }
    due.forEach(fingerprint -> onDue(fingerprint, now, log));
    log.wakeAt(nextDueUnixNanos);
  }

  private void onDue(String fingerprint, long now, GateLog log) {
    Acknowledged held = state.acknowledged(fingerprint);
    if (!held.isTold) {
      remove(fingerprint);
      log.dropWord();
      return;
    }
    held.saidAtUnixNanos = held.untilUnixNanos;
    held.release();
    state.putAcknowledged(fingerprint, held);
    Alert alert = active(fingerprint);
    tell(alert, AlertTransition.ALERT_TRANSITION_UNACKNOWLEDGED, held, now, log);
  }

  private static long dueAt(Acknowledged held) {
    return held.isTold ? held.untilUnixNanos : held.saidAtUnixNanos + ReadBack.SETTLED_AFTER_NANOS;
  }

  /** The alert or storm that is active, null where there is none. */
  private Alert active(String fingerprint) {
    GatedAlert alert = state.alert(fingerprint);
    if (alert != null && alert.isActive()) {
      return alert.own();
    }
    return storms.active(fingerprint);
  }

  private void tell(
      Alert alert, AlertTransition transition, Acknowledged held, long now, GateLog log) {
    GatedAlert gated = state.alert(alert.getFingerprint());
    Alert next;
    if (gated == null) {
      next = storms.next(alert, transition, now);
    } else {
      GatedAlert after = gated.nextVersion();
      state.putAlert(alert.getFingerprint(), after);
      next = after.toAlert(transition);
    }
    log.emit(
        next.toBuilder()
            .setEventId(held.newestId)
            .setSaidAtUnixNanos(held.saidAtUnixNanos)
            .build());
  }

  private int size() {
    if (size < 0) {
      size = 0;
      state.acknowledged().forEach(entry -> size++);
    }
    return size;
  }

  private void put(String fingerprint, Acknowledged held, long clock, GateLog log) {
    size = state.acknowledged(fingerprint) == null ? size() + 1 : size();
    state.putAcknowledged(fingerprint, held);
    nextDueUnixNanos = Math.min(nextDueUnixNanos, dueAt(held));
    log.wakeAt(Math.max(clock, dueAt(held)));
  }

  private void remove(String fingerprint) {
    size = size() - 1;
    state.removeAcknowledged(fingerprint);
  }
}
