package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the rules of one alert answer: all that the operator has to do.
 *
 * @param state to save; null to forget the fingerprint
 * @param decision transition to tell
 * @param nextTimerUnixNanos event time at which the rules want to be called again; absent where a
 *     timer that is early enough is already set
 */
public record Step(TrackedAlert state, Optional<Alert> decision, OptionalLong nextTimerUnixNanos) {
  static Step silent(TrackedAlert state) {
    return new Step(state, Optional.empty(), OptionalLong.empty());
  }

  static Step wakingAt(TrackedAlert state, long unixNanos) {
    return new Step(state, Optional.empty(), OptionalLong.of(unixNanos));
  }

  static Step telling(Step step, Alert decision) {
    return new Step(step.state(), Optional.of(decision), step.nextTimerUnixNanos());
  }
}
