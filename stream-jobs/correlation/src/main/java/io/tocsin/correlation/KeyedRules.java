package io.tocsin.correlation;

import java.io.Serializable;

/**
 * Rules with state for each key: pure functions of state, input and time.
 *
 * @param <I> what happens
 * @param <S> state of a key
 * @param <D> what is decided
 */
public interface KeyedRules<I, S extends TimedState, D> extends Serializable {
  /**
   * Takes an input.
   *
   * @param state of the input's key, changed in place; null where there is none
   */
  Step<S, D> onInput(S state, I input);

  /**
   * Takes a timer.
   *
   * @param state of the key that asked for it, changed in place
   * @param nowUnixNanos time that was reached, no earlier than the one asked for
   */
  Step<S, D> onTimer(S state, long nowUnixNanos);
}
