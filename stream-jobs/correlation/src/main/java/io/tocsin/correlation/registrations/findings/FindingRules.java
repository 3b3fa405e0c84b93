package io.tocsin.correlation.registrations.findings;

import io.tocsin.correlation.registrations.Observation;
import java.io.Serializable;

/**
 * One rule, with state for each key.
 *
 * @param <S> state
 */
public interface FindingRules<S> extends Serializable {
  /** Whether the rule has anything to say about an observation. */
  boolean concerns(Observation observation);

  /** What the observation is counted for. */
  String keyOf(Observation observation);

  /**
   * Takes an observation.
   *
   * @param state of the observation's key, null where there is none
   * @param complaints what servers have logged lately
   */
  FindingStep<S> onObservation(S state, Observation observation, Complaints complaints);

  /**
   * Takes a timer.
   *
   * @param state of the key that asked for it, null where there is none
   * @param nowUnixNanos event time that the stream has reached
   * @param complaints what servers have logged lately
   */
  FindingStep<S> onTimer(S state, long nowUnixNanos, Complaints complaints);
}
