package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Step;
import java.util.ArrayList;
import java.util.List;

/** What the gate decides in one step, and when it wants to be called again. */
final class GateLog {
  private final Acknowledgements acknowledgements;
  private final List<Alert> decisions = new ArrayList<>();
  private long nextTimerUnixNanos = Step.NO_TIMER;
  private int droppedWords;

  GateLog(Acknowledgements acknowledgements) {
    this.acknowledgements = acknowledgements;
  }

  void emit(Alert alert) {
    decisions.add(acknowledgements.onTransition(alert, this));
  }

  /** A person's word of an alert that is not there. */
  void dropWord() {
    droppedWords++;
  }

  void wakeAt(long unixNanos) {
    nextTimerUnixNanos = Math.min(nextTimerUnixNanos, unixNanos);
  }

  Step<GateState, Alert> step(GateState state) {
    return new Step<>(state, decisions, nextTimerUnixNanos, droppedWords);
  }
}
