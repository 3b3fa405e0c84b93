package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import java.util.Map;
import java.util.OptionalDouble;

/** Events that carry a figure, which a threshold judges. */
public sealed interface MeasureMatch extends EventMatch
    permits CounterMatch, GaugeMatch, ProbeMatch {
  /**
   * The figure, or nothing where the event is not meant or has none.
   *
   * @param event with the body that this match is for
   * @param fields takes what was read from it
   */
  OptionalDouble figure(Event event, Map<String, String> fields);

  /** When to raise and to clear. */
  Threshold threshold();
}
