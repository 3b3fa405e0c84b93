package io.tocsin.correlation.copies;

import io.tocsin.correlation.TimedState;
import java.util.ArrayList;
import java.util.List;

/**
 * What was heard of one key and not yet by all agents of the group: at most {@value
 * Copies#MOST_WAITING}, for {@value Copies#WAIT_MINUTES} minutes.
 */
public final class Heard extends TimedState {
  /** The times that something was said, in the order in which Kafka took the first of each. */
  public List<Said> waiting = new ArrayList<>();

  /** For Flink, which makes it by its fields. */
  public Heard() {}

  /** One time that a device said a message. */
  public static final class Said {
    /** Of the event that was kept. */
    public String eventId = "";

    /** What was said; empty where the key says it. */
    public String content = "";

    /** When the agent of that event received it, Unix nanoseconds. */
    public long receivedAtUnixNanos;

    /** When Kafka took that event, Unix nanoseconds. */
    public long takenAtUnixNanos;

    /** Agents that it was heard of. */
    public List<String> agents = new ArrayList<>();

    /** For Flink, which makes it by its fields. */
    public Said() {}

    static Said first(Arrival arrival, String content) {
      Said said = new Said();
      said.content = content;
      said.eventId = arrival.event().getEventId();
      said.receivedAtUnixNanos = arrival.receivedAtUnixNanos();
      said.takenAtUnixNanos = arrival.takenAtUnixNanos();
      said.agents.add(arrival.event().getAgentId());
      return said;
    }
  }
}
