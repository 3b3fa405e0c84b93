package io.tocsin.correlation.registrations.findings;

import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a rule answers.
 *
 * @param state to save; null to forget the key
 * @param findings alert updates, in order
 * @param nextTimerUnixNanos event time at which the rule wants to be called again
 * @param <S> state
 */
public record FindingStep<S>(S state, List<Event> findings, OptionalLong nextTimerUnixNanos) {
  static <S> FindingStep<S> forget(List<Event> findings) {
    return new FindingStep<>(null, findings, OptionalLong.empty());
  }

  static <S> FindingStep<S> of(S state, List<Event> findings, long nextTimerUnixNanos) {
    return new FindingStep<>(state, findings, OptionalLong.of(nextTimerUnixNanos));
  }

  /**
   * The same where there is nothing to tell. Otherwise nothing is told yet, and the rule is called
   * again as soon as the stream has reached the time: what servers log comes by another way than
   * what clients say, and is here by then.
   *
   * @param untold state before the judgement
   * @param unixNanos event time of the newest observation
   */
  FindingStep<S> onceReached(S untold, long unixNanos) {
    return findings.isEmpty() ? this : of(untold, List.of(), unixNanos);
  }
}
