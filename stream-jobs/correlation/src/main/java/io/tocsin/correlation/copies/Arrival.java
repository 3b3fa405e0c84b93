package io.tocsin.correlation.copies;

import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;

/**
 * An event of a group of agents, as it came from Kafka.
 *
 * @param event with {@code copies}
 * @param takenAtUnixMillis when Kafka took it: the same for every reader, and growing along the
 *     partition that all copies of a message stand in
 */
public record Arrival(Event event, long takenAtUnixMillis) {
  /** When the agent received it: not after Kafka took it, whatever the agent's clock says. */
  long receivedAtUnixNanos() {
    return Math.min(event.getReceivedAtUnixNanos(), Nanos.ofMillis(takenAtUnixMillis + 1) - 1);
  }

  long takenAtUnixNanos() {
    return Nanos.ofMillis(takenAtUnixMillis);
  }
}
