package io.tocsin.rules.history;

import io.tocsin.correlation.copies.Arrival;
import io.tocsin.correlation.copies.Copies;
import io.tocsin.correlation.copies.Heard;
import io.tocsin.correlation.copies.Verdict;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.replay.KeyedMemory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What several agents received counts once, as in the jobs; a topic holds it as often as it came.
 */
final class FirstOfGroups {
  private final KeyedMemory<Arrival, Heard, Verdict> copies = new KeyedMemory<>(new Copies());

  /**
   * Whether an event is the first of its message; one of no group always is.
   *
   * @param takenAtUnixMillis when Kafka took it; events of a partition are asked in its order
   */
  boolean has(Event event, long takenAtUnixMillis) {
    if (!event.hasCopies()) {
      return true;
    }
    copies.fireUntil(takenAtUnixMillis, unused -> {});
    AtomicBoolean isFirst = new AtomicBoolean();
    copies.onInput(
        Copies.keyOf(event),
        new Arrival(event, takenAtUnixMillis),
        verdict -> isFirst.set(!verdict.isCopy()));
    return isFirst.get();
  }
}
