package io.tocsin.correlation.findings;

import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.TimedState;
import io.tocsin.events.v1.Event;

/**
 * Rules that make findings, as alert updates.
 *
 * @param <I> input
 * @param <S> state of a key
 */
public interface FindingRules<I, S extends TimedState> extends KeyedRules<I, S, Event> {
  /** Whether the rules have anything to say about an input. */
  boolean concerns(I input);

  /** What an input that concerns them is counted for. */
  String keyOf(I input);
}
