package io.tocsin.rules.history;

import io.tocsin.events.v1.Event;
import java.util.Comparator;
import java.util.List;

/** Events at hand, of a file for example. */
public final class EventList implements History {
  private final List<Event> events;

  /** Events in any order. */
  public EventList(List<Event> events) {
    this.events =
        events.stream().sorted(Comparator.comparingLong(Event::getReceivedAtUnixNanos)).toList();
  }

  @Override
  public void play(long fromUnixNanos, long toUnixNanos, Taker taker) {
    for (Event event : events) {
      long receivedAt = event.getReceivedAtUnixNanos();
      if (receivedAt >= fromUnixNanos && receivedAt < toUnixNanos) {
        taker.event(event);
      }
    }
  }

  @Override
  public List<String> unknowns() {
    return List.of(
        "a file has no acknowledgements: alerts that people worked on are taken for untouched");
  }
}
