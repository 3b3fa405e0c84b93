package io.tocsin.correlation.calendar;

import io.tocsin.correlation.Step;
import java.util.Optional;

/**
 * What goes on once or several times, in the order of their starts, which is that of their ends.
 */
public interface Occurrences {
  /** The one that is on at a moment or, if none is, the next; empty where all are over. */
  Optional<Occurrence> firstEndingAfter(long unixNanos);

  /** Tells whether one is on. */
  default boolean isOnAt(long unixNanos) {
    return firstEndingAfter(unixNanos).filter(each -> each.isOnAt(unixNanos)).isPresent();
  }

  /** When one starts or ends next; {@link Step#NO_TIMER} where all are over. */
  default long nextEdgeAfter(long unixNanos) {
    return firstEndingAfter(unixNanos)
        .map(
            each ->
                each.startsAtUnixNanos() > unixNanos
                    ? each.startsAtUnixNanos()
                    : each.endsAtUnixNanos())
        .orElse(Step.NO_TIMER);
  }
}
