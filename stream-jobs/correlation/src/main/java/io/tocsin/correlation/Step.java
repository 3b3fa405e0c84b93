package io.tocsin.correlation;

import java.util.List;

/**
 * What rules answer: all that an operator has to do.
 *
 * @param state to save, mostly the one that was handed in, changed in place; null to forget the key
 * @param decisions to emit, in order
 * @param nextTimerUnixNanos when the rules want to be called again. They may be called earlier, and
 *     then say again when; so a timer that is set and earlier is left. {@link #NO_TIMER} asks for
 *     none
 * @param evicted entries that were dropped, because the state was full or nothing came that they
 *     waited for; operators count them
 * @param <S> state of a key
 * @param <D> what is decided
 */
public record Step<S, D>(S state, List<D> decisions, long nextTimerUnixNanos, int evicted) {
  /** After every possible time. */
  public static final long NO_TIMER = Long.MAX_VALUE;

  /** A step in which the state had room. */
  public Step(S state, List<D> decisions, long nextTimerUnixNanos) {
    this(state, decisions, nextTimerUnixNanos, 0);
  }

  /** Saves, emits nothing and asks for no timer. */
  public static <S, D> Step<S, D> keep(S state) {
    return new Step<>(state, List.of(), NO_TIMER);
  }

  /** Saves, emits nothing and asks for a timer. */
  public static <S, D> Step<S, D> keep(S state, long nextTimerUnixNanos) {
    return new Step<>(state, List.of(), nextTimerUnixNanos);
  }

  /** Forgets the key. */
  public static <S, D> Step<S, D> forget(List<D> decisions) {
    return new Step<>(null, decisions, NO_TIMER);
  }
}
