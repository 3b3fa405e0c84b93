package io.tocsin.jobs.archive;

import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.events.v1.Event;
import java.util.concurrent.TimeUnit;

/** Records as the archive reads them. */
final class Records {
  private static final byte[] EMPTY = {};

  private Records() {}

  /** An event that Kafka took as soon as the agent had it. */
  static TopicRecord of(Event event, long offset) {
    long takenAt = TimeUnit.NANOSECONDS.toMillis(event.getReceivedAtUnixNanos());
    return new TopicRecord(Topics.EVENTS_SYSLOG, 0, offset, takenAt, EMPTY, event.toByteArray());
  }

  /** A record that is nothing but its place. */
  static TopicRecord number(long offset) {
    return new TopicRecord("numbers", 0, offset, offset, EMPTY, EMPTY);
  }
}
