package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.Nanos;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Compares what the topic says with what the gate holds, and tells again what stays different. A
 * storm or an alert of a tree whose last word there has been for a day that it is over is forgotten
 * there.
 */
final class ReadBack {
  /**
   * How far the stream must be beyond both words. Longer than the watermark is behind, so that a
   * replay has read what the topic's word came of; and than a word takes through the topic.
   */
  static final long SETTLED_AFTER_NANOS = 10 * Nanos.PER_SECOND;

  /** As long as other alerts that are over are remembered. */
  private static final long FORGOTTEN_AFTER_NANOS = AlertTiming.DEFAULT.forgetAfterNanos();

  private final GateState state;
  private final Storms storms;
  private final Acknowledgements acknowledgements;

  ReadBack(GateState state, Storms storms, Acknowledgements acknowledgements) {
    this.state = state;
    this.storms = storms;
    this.acknowledgements = acknowledgements;
  }

  void onTold(Alert told, long clock, GateLog log) {
    Alert held = held(told);
    boolean isSettled = agree(held, told);
    if (isSettled && !isOverOwn(held, told)) {
      state.removeStray(told.getFingerprint());
      return;
    }
    long heldVersion = held == null ? 0 : held.getVersion();
    long newest = Math.max(clock, Math.max(told.getVersion(), heldVersion));
    long due = newest + (isSettled ? FORGOTTEN_AFTER_NANOS : SETTLED_AFTER_NANOS);
    state.putStray(told.getFingerprint(), new Stray(told.toByteArray(), due));
    log.wakeAt(due);
  }

  /** The alert rules say when another alert is forgotten; of storms and trees nobody else knows. */
  private static boolean isOverOwn(Alert held, Alert told) {
    return held == null && (Storms.isStorm(told) || TreeAlerts.isTree(told));
  }

  void onTimer(long now, GateLog log) {
    List<Stray> due = new ArrayList<>();
    for (Map.Entry<String, Stray> stray : state.strays()) {
      if (stray.getValue().dueUnixNanos() <= now) {
        due.add(stray.getValue());
      } else {
        log.wakeAt(stray.getValue().dueUnixNanos());
      }
    }
    for (Stray stray : due) {
      Alert told = stray.alert();
      state.removeStray(told.getFingerprint());
      Alert held = held(told);
      if (!agree(held, told)) {
        tellAgain(told, now, log);
      } else if (isOverOwn(held, told)) {
        log.emit(Tombstone.of(told.getFingerprint()));
      }
    }
  }

  /** What the gate holds of an alert, null for one that is over. */
  private Alert held(Alert told) {
    GatedAlert alert = state.alert(told.getFingerprint());
    if (alert != null) {
      return alert.isActive() ? acknowledgements.standing(alert.toAlert()) : null;
    }
    Alert storm = storms.held(told);
    return storm == null ? null : acknowledgements.standing(storm);
  }

  private static boolean agree(Alert held, Alert told) {
    if (held == null) {
      return told.getState() == AlertState.ALERT_STATE_RESOLVED
          || told.getState() == AlertState.ALERT_STATE_EXPIRED;
    }
    return held.getState() == told.getState()
        && held.getSeverity() == told.getSeverity()
        && held.getCause().equals(told.getCause())
        && held.getAcknowledgedBy().equals(told.getAcknowledgedBy())
        && held.getAcknowledgedAtUnixNanos() == told.getAcknowledgedAtUnixNanos()
        && held.getNote().equals(told.getNote());
  }

  private void tellAgain(Alert told, long now, GateLog log) {
    GatedAlert alert = state.alert(told.getFingerprint());
    if (alert != null && alert.isActive()) {
      GatedAlert next = alert.nextVersionAfter(told.getVersion());
      state.putAlert(told.getFingerprint(), next);
      log.emit(next.toAlert());
    } else if (alert != null || storms.held(told) == null) {
      log.emit(over(told, now));
    } else {
      storms.tellAgain(told, now, log);
    }
  }

  private static Alert over(Alert told, long now) {
    return told.toBuilder()
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setTransition(AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setVersion(Math.max(told.getVersion() + 1, now))
        .setResolvedAtUnixNanos(Math.max(told.getFirstSeenUnixNanos(), now))
        .clearExpiresAtUnixNanos()
        .clearCause()
        .clearHeldBack()
        .clearStormId()
        .clearAcknowledgedBy()
        .clearAcknowledgedAtUnixNanos()
        .clearAcknowledgedUntilUnixNanos()
        .clearNote()
        .clearNotedBy()
        .clearSaidAtUnixNanos()
        .build();
  }
}
