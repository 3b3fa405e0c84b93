package io.tocsin.model;

import io.tocsin.events.v1.Event;
import java.util.concurrent.TimeUnit;

/** Nothing is received after the broker took it: an agent's clock that is ahead is set back. */
public final class BrokerTime {
  private BrokerTime() {}

  /**
   * The event with the broker's time where its agent is ahead of it; else the event itself.
   *
   * @param appendedAtMillis when the broker took its record, by the broker
   */
  public static Event set(Event event, long appendedAtMillis) {
    long appendedAt = TimeUnit.MILLISECONDS.toNanos(appendedAtMillis + 1) - 1;
    if (Long.compareUnsigned(event.getReceivedAtUnixNanos(), appendedAt) <= 0) {
      return event;
    }
    long ahead = event.getReceivedAtUnixNanos() - appendedAt;
    Event.Builder earlier = event.toBuilder().setReceivedAtUnixNanos(appendedAt);
    if (isTimedByItsAgent(event)) {
      earlier.setEventTimeUnixNanos(event.getEventTimeUnixNanos() - ahead);
    }
    return earlier.build();
  }

  /** A heartbeat goes on to tell its agent's clock: by it a wrong one is known. */
  private static boolean isTimedByItsAgent(Event event) {
    boolean isOnlyReceived = event.getEventTimeUnixNanos() == event.getReceivedAtUnixNanos();
    return event.hasLinkProbe() || event.hasDnsAnswer() || isOnlyReceived && !event.hasAgentStats();
  }
}
