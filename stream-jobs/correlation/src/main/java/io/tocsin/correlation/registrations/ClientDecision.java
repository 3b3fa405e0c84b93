package io.tocsin.correlation.registrations;

import io.tocsin.registrations.v1.Registration;

/** What {@link RegistrationRules} decide: a transition, an observation, or that it is too late. */
public sealed interface ClientDecision
    permits ClientDecision.Transition, ClientDecision.TooLate, Observation {

  /** The registration changed. */
  record Transition(Registration registration) implements ClientDecision {}

  /** A message came after the allowed lateness and changed nothing. */
  record TooLate() implements ClientDecision {}
}
