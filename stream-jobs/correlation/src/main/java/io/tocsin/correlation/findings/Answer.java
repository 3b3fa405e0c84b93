package io.tocsin.correlation.findings;

import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a rule answers.
 *
 * @param updates alert updates to tell, in order
 * @param nextTimerUnixNanos when the rule wants to be called again; it may be called earlier, and
 *     then says again when. Nothing where the time that it named before still holds, or none is
 *     needed
 */
public record Answer(List<Event> updates, OptionalLong nextTimerUnixNanos) {
  static Answer silent() {
    return new Answer(List.of(), OptionalLong.empty());
  }

  static Answer at(long unixNanos) {
    return new Answer(List.of(), OptionalLong.of(unixNanos));
  }
}
