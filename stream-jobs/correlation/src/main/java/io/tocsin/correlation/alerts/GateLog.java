package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Step;
import java.util.ArrayList;
import java.util.List;

/** What the gate decides in one step, and when it wants to be called again. */
final class GateLog {
  private final Acknowledgements acknowledgements;
  private final long nowUnixNanos;
  private final List<Alert> decisions = new ArrayList<>();
  private long nextTimerUnixNanos = Step.NO_TIMER;
  private int droppedWords;

  /**
   * An empty log.
   *
   * @param nowUnixNanos when it is decided, by the agents' clock
   */
  GateLog(Acknowledgements acknowledgements, long nowUnixNanos) {
    this.acknowledgements = acknowledgements;
    this.nowUnixNanos = nowUnixNanos;
  }

  /** When it is decided, by the agents' clock. */
  long now() {
    return nowUnixNanos;
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
