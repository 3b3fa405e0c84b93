package io.tocsin.correlation.registrations;

import io.tocsin.registrations.v1.Registration;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the rules answer: all that the operator has to do.
 *
 * @param state to save; null to forget the client
 * @param decisions transitions to tell, in order
 * @param observations for the findings
 * @param nextTimerUnixNanos event time at which the rules want to be called again
 * @param isTooLate whether the message came after the allowed lateness and changed nothing
 */
public record RegistrationStep(
    TrackedClient state,
    List<Registration> decisions,
    List<Observation> observations,
    OptionalLong nextTimerUnixNanos,
    boolean isTooLate) {

  static RegistrationStep silent(TrackedClient state, List<Observation> observations) {
    return new RegistrationStep(state, List.of(), observations, OptionalLong.empty(), false);
  }

  static RegistrationStep tooLate(TrackedClient state) {
    return new RegistrationStep(state, List.of(), List.of(), OptionalLong.empty(), true);
  }

  RegistrationStep observing(List<Observation> observed) {
    return new RegistrationStep(state, decisions, observed, nextTimerUnixNanos, isTooLate);
  }

  RegistrationStep forgetting() {
    return new RegistrationStep(null, decisions, observations, OptionalLong.empty(), isTooLate);
  }
}
