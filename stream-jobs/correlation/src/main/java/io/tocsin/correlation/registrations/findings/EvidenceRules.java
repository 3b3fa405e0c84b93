package io.tocsin.correlation.registrations.findings;

import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;

/**
 * Rules that take what servers have logged as evidence. What would be emitted on an observation
 * waits for a timer at its time: what servers log comes by another way than what clients say, and
 * is here by then.
 *
 * @param <S> state of a key
 */
public interface EvidenceRules<S extends TimedState> extends FindingRules<Observation, S> {
  /** The same rules, with what servers have logged lately. */
  EvidenceRules<S> given(Complaints complaints);
}
