package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a rule answers: all that the operator has to do.
 *
 * @param state to save; null to forget the fingerprint
 * @param decisions transitions to tell, in order
 * @param nextTimerUnixNanos event time at which the rule wants to be called again
 */
public record Step(TrackedAlert state, List<Alert> decisions, OptionalLong nextTimerUnixNanos) {
  static Step silent(TrackedAlert state) {
    return new Step(state, List.of(), OptionalLong.empty());
  }

  static Step telling(TrackedAlert state, Alert decision) {
    return new Step(state, List.of(decision), OptionalLong.empty());
  }
}
