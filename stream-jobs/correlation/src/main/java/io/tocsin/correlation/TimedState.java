package io.tocsin.correlation;

/**
 * State of a key, with the one timer of the key. State is a class of public fields, which Flink
 * keeps one by one, so that fields may be added later; the rules that own it change it in place.
 */
public abstract class TimedState {
  /** The timer that is set, Unix milliseconds; {@link Step#NO_TIMER} for none. Operators set it. */
  public long timerUnixMillis = Step.NO_TIMER;
}
