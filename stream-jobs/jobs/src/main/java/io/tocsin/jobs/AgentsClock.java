package io.tocsin.jobs;

import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.BoundedOutOfOrdernessWatermarks;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Event time of events: the clock of the agent that received them, received_at. No device's wrong
 * clock can move a watermark, and the heartbeats of {@code agent-stats-v1} move it where devices
 * are silent.
 *
 * <p>Nor can an agent's: no received_at is later than the broker's time of the record, which the
 * source sees to, and for one that is earlier a partition waits for some minutes only. The record's
 * timestamp stays the broker's.
 */
public final class AgentsClock {
  /**
   * From one watermark to the next: what waits for one waits for seconds. Each is a timer of every
   * source, and a message to every task behind it.
   */
  static final Duration TOLD_EVERY = Duration.ofMillis(500);

  private static final Duration IDLE_PARTITION_AFTER = Duration.ofSeconds(5);

  /**
   * How far one agent can hold time back for all: with what it had kept in its spool, or with a
   * clock that is behind.
   */
  private static final long MAX_BEHIND_MILLIS = Duration.ofMinutes(5).toMillis();

  private AgentsClock() {}

  /**
   * Watermarks for events.
   *
   * @param maxDisorder how far behind the newest an event may come
   */
  public static WatermarkStrategy<Event> watermarks(Duration maxDisorder) {
    return strategy(() -> new ByReceipt(maxDisorder));
  }

  /**
   * The same, where only probes hold time back. Whatever else is there moves it on and is not
   * waited for: a partition that sees a heartbeat in ten seconds would stop time for half of them,
   * until it counts as idle. A partition of which nothing was read yet may have probes, and is
   * waited for: a job that goes on after an hour would else take the newest heartbeat for the
   * present, and every link for one without probes.
   */
  public static WatermarkStrategy<Event> watermarksHeldByProbes(Duration maxDisorder) {
    return strategy(() -> new HeldByProbes(maxDisorder));
  }

  private static WatermarkStrategy<Event> strategy(GeneratorOfPartition generator) {
    return WatermarkStrategy.<Event>forGenerator(context -> generator.make())
        .withTimestampAssigner(
            (event, brokerMillis) ->
                brokerMillis == TimestampAssigner.NO_TIMESTAMP
                    ? receivedAtMillis(event)
                    : brokerMillis)
        .withIdleness(IDLE_PARTITION_AFTER);
  }

  private static long receivedAtMillis(Event event) {
    return event.getReceivedAtUnixNanos() / Nanos.PER_MILLI;
  }

  /**
   * For what has no time, such as documents and registers, beside events that have one: always
   * idle, so that the events alone move the clock.
   *
   * <p>It must not say that its time is over: while the events are idle, after a pause of the
   * agents or of Kafka, an operator goes by its other input alone, and an end of time there would
   * fire every timer and be the last watermark for good.
   */
  public static <T> WatermarkStrategy<T> timeless() {
    return WatermarkStrategy.forGenerator(context -> new Timeless<>());
  }

  private interface GeneratorOfPartition extends Serializable {
    WatermarkGenerator<Event> make();
  }

  /** Of one partition: its newest receipt, at most some minutes behind the broker. */
  private static final class ByReceipt implements WatermarkGenerator<Event> {
    private final WatermarkGenerator<Event> newest;

    ByReceipt(Duration maxDisorder) {
      newest = new BoundedOutOfOrdernessWatermarks<>(maxDisorder);
    }

    @Override
    public void onEvent(Event event, long brokerMillis, WatermarkOutput output) {
      long time = Math.max(receivedAtMillis(event), brokerMillis - MAX_BEHIND_MILLIS);
      newest.onEvent(event, time, output);
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      newest.onPeriodicEmit(output);
    }
  }

  /**
   * Of one partition. Time is told from period to period, not with each event: a thousand lines of
   * syslog would be a thousand watermarks, and as often awake and idle, to every task behind.
   */
  private static final class HeldByProbes implements WatermarkGenerator<Event> {
    private final WatermarkGenerator<Event> newest;
    private boolean hasProbes;
    private boolean isHolding = true;
    private boolean hasNews;

    HeldByProbes(Duration maxDisorder) {
      newest = new ByReceipt(maxDisorder);
    }

    @Override
    public void onEvent(Event event, long brokerMillis, WatermarkOutput output) {
      newest.onEvent(event, brokerMillis, output);
      hasProbes |= event.hasLinkProbe();
      // Answers of resolvers stand between the probes of a partition, and may be alone in another.
      isHolding = event.hasLinkProbe() || hasProbes && event.hasDnsAnswer();
      hasNews = true;
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      if (isHolding || hasNews) {
        newest.onPeriodicEmit(output);
        hasNews = false;
      }
      if (!isHolding) {
        output.markIdle();
      }
    }
  }

  private static final class Timeless<T> implements WatermarkGenerator<T> {
    @Override
    public void onEvent(T element, long timestamp, WatermarkOutput output) {
      output.markIdle();
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      output.markIdle();
    }
  }
}
