package io.tocsin.jobs;

import io.tocsin.events.v1.Event;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Event time of events: the clock of the agent that received them, received_at. No device's wrong
 * clock can move a watermark, and the heartbeats of {@code agent-stats-v1} move it where devices
 * are silent.
 */
public final class AgentsClock {
  private static final Duration IDLE_PARTITION_AFTER = Duration.ofSeconds(5);
  private static final long NANOS_PER_MILLI = 1_000_000;

  private AgentsClock() {}

  /**
   * Watermarks for events.
   *
   * @param maxDisorder how far behind the newest an event may come
   */
  public static WatermarkStrategy<Event> watermarks(Duration maxDisorder) {
    return WatermarkStrategy.<Event>forBoundedOutOfOrderness(maxDisorder)
        .withTimestampAssigner(
            (event, kafkaTime) -> event.getReceivedAtUnixNanos() / NANOS_PER_MILLI)
        .withIdleness(IDLE_PARTITION_AFTER);
  }
}
