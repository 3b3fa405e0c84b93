package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Step;
import java.util.ArrayList;
import java.util.List;

/** What the gate decides in one step, and when it wants to be called again. */
final class GateLog {
  private final List<Alert> decisions = new ArrayList<>();
  private long nextTimerUnixNanos = Step.NO_TIMER;

  void emit(Alert alert) {
    decisions.add(alert);
  }

  void wakeAt(long unixNanos) {
    nextTimerUnixNanos = Math.min(nextTimerUnixNanos, unixNanos);
  }

  Step<GateState, Alert> step(GateState state) {
    return new Step<>(state, decisions, nextTimerUnixNanos);
  }
}
