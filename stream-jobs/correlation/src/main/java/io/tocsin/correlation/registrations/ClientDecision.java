package io.tocsin.correlation.registrations;

import io.tocsin.registrations.v1.Registration;

/**
 * What {@link RegistrationRules} decide: a transition, that a client is forgotten, an observation,
 * or that it is too late.
 */
public sealed interface ClientDecision
    permits ClientDecision.Transition,
        ClientDecision.Forgotten,
        ClientDecision.TooLate,
        Observation {

  /** The registration changed. */
  record Transition(Registration registration) implements ClientDecision {}

  /**
   * Nothing is known of the client any more. It goes the way of its transitions, so that it stands
   * behind them on the topic, and there it is a record without a value.
   *
   * @param registration its MAC and family without a state
   */
  record Forgotten(Registration registration) implements ClientDecision {
    static Forgotten of(String mac, int family) {
      return new Forgotten(Registration.newBuilder().setMac(mac).setFamily(family).build());
    }
  }

  /** A message came after the allowed lateness and changed nothing. */
  record TooLate() implements ClientDecision {}
}
