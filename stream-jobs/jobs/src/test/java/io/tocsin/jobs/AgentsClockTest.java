package io.tocsin.jobs;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.jobs.archive.ArchiveOptions;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.flink.util.clock.SystemClock;
import org.junit.jupiter.api.Test;

class AgentsClockTest {
  @Test
  void timeIsToldTwiceASecondUnlessTheClusterSaysOtherwise() {
    Configuration cluster = new Configuration();
    assertThat(watermarkInterval(cluster)).hasMillis(500);
    cluster.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.ofMillis(50));
    assertThat(watermarkInterval(cluster)).hasMillis(50);
  }

  private static Duration watermarkInterval(Configuration cluster) {
    var env = StreamExecutionEnvironment.createLocalEnvironment(cluster);
    JobRunner.prepare(env, new ArchiveOptions(), Buffering.LOW_LATENCY, Restart.PAGES_FIRST);
    return env.getConfiguration().get(PipelineOptions.AUTO_WATERMARK_INTERVAL);
  }

  /** The end of time from a register would fire every timer as soon as the events are idle. */
  @Test
  void whatHasNoTimeIsIdleAndTellsNoTime() {
    Told told = new Told();
    WatermarkGenerator<String> generator =
        AgentsClock.<String>timeless().createWatermarkGenerator(null);

    generator.onPeriodicEmit(told);
    generator.onEvent("document", NOON.toEpochMilli(), told);
    generator.onPeriodicEmit(told);

    assertThat(told.words).containsOnly("idle").isNotEmpty();
  }

  @Test
  void heartbeatMovesTimeOnAndIsNotWaitedForWhereProbesHoldIt() {
    Told told = new Told();
    WatermarkGenerator<Event> partition =
        AgentsClock.watermarksHeldByProbes(Duration.ofSeconds(1))
            .createWatermarkGenerator(new OfOnePartition());
    Event heartbeat = TestEvents.agentStats(1, NOON);

    partition.onEvent(heartbeat, NOON.toEpochMilli(), told);
    partition.onPeriodicEmit(told);

    String untilASecondBefore = new Watermark(NOON.minusSeconds(1).toEpochMilli() - 1).toString();
    assertThat(told.words).containsExactly(untilASecondBefore, "idle");
  }

  @Test
  void manyLinesOfOnePeriodAreOneStepOfTime() {
    Told told = new Told();
    WatermarkGenerator<Event> partition =
        AgentsClock.watermarksHeldByProbes(Duration.ofSeconds(1))
            .createWatermarkGenerator(new OfOnePartition());

    for (int second = 1; second <= 100; second++) {
      Instant time = NOON.plusSeconds(second);
      partition.onEvent(TestEvents.agentStats(second, time), time.toEpochMilli(), told);
    }
    partition.onPeriodicEmit(told);
    partition.onPeriodicEmit(told);

    String untilTheLastButOne = new Watermark(NOON.plusSeconds(99).toEpochMilli() - 1).toString();
    assertThat(told.words).containsExactly(untilTheLastButOne, "idle", "idle");
  }

  @Test
  void partitionOfProbesIsWaitedFor() {
    Told told = new Told();
    WatermarkGenerator<Event> partition =
        AgentsClock.watermarksHeldByProbes(Duration.ofSeconds(1))
            .createWatermarkGenerator(new OfOnePartition());

    partition.onEvent(TestEvents.probe(1, NOON, 30), NOON.toEpochMilli(), told);
    partition.onPeriodicEmit(told);

    assertThat(told.words)
        .containsExactly(new Watermark(NOON.minusSeconds(1).toEpochMilli() - 1).toString());
  }

  /** A job that catches up would else take the times of another partition for these links' own. */
  @Test
  void partitionOfProbesIsWaitedForAlsoWhereAnAnswerOfAResolverStandsBetweenThem() {
    Told told = new Told();
    WatermarkGenerator<Event> partition =
        AgentsClock.watermarksHeldByProbes(Duration.ofSeconds(1))
            .createWatermarkGenerator(new OfOnePartition());

    partition.onEvent(TestEvents.dnsAnswer(1, NOON), NOON.toEpochMilli(), told);
    partition.onPeriodicEmit(told);
    assertThat(told.words).contains("idle");

    told.words.clear();
    partition.onEvent(TestEvents.probe(2, NOON, 30), NOON.toEpochMilli(), told);
    partition.onEvent(TestEvents.dnsAnswer(3, NOON), NOON.toEpochMilli(), told);
    partition.onPeriodicEmit(told);
    assertThat(told.words).doesNotContain("idle");
  }

  /** After a restart the heartbeats may be read before any probe of what was missed. */
  @Test
  void partitionOfWhichNothingWasReadYetIsWaitedForWhereProbesHoldTime() {
    Told told = new Told();
    WatermarkGenerator<Event> partition =
        AgentsClock.watermarksHeldByProbes(Duration.ofSeconds(1))
            .createWatermarkGenerator(new OfOnePartition());

    partition.onPeriodicEmit(told);

    assertThat(told.words).doesNotContain("idle");
  }

  /** The broker's time bounds how far one agent can hold the others back. */
  @Test
  void agentThatIsFarBehindIsWaitedForForFiveMinutesAndNoLonger() {
    Event hoursOld = TestEvents.syslog(1, NOON.minus(Duration.ofHours(2)));
    Event minutesOld = TestEvents.syslog(1, NOON.minus(Duration.ofMinutes(2)));

    assertThat(timeAfter(hoursOld)).isEqualTo(secondBefore(NOON.minus(Duration.ofMinutes(5))));
    assertThat(timeAfter(minutesOld)).isEqualTo(secondBefore(NOON.minus(Duration.ofMinutes(2))));
  }

  @Test
  void withoutABrokersTimeTheAgentsClockCounts() {
    Event event = TestEvents.syslog(1, NOON);
    long timestamp =
        AgentsClock.watermarks(Duration.ofSeconds(1))
            .createTimestampAssigner(UnregisteredMetricsGroup::new)
            .extractTimestamp(event, TimestampAssigner.NO_TIMESTAMP);

    assertThat(timestamp).isEqualTo(NOON.toEpochMilli());
  }

  /** Watermark of a partition in which the broker took an event at noon. */
  private static String timeAfter(Event event) {
    WatermarkStrategy<Event> strategy = AgentsClock.watermarks(Duration.ofSeconds(1));
    WatermarkGenerator<Event> partition = strategy.createWatermarkGenerator(new OfOnePartition());
    long timestamp =
        strategy
            .createTimestampAssigner(UnregisteredMetricsGroup::new)
            .extractTimestamp(event, NOON.toEpochMilli());
    Told told = new Told();
    partition.onEvent(event, timestamp, told);
    partition.onPeriodicEmit(told);
    return told.words.get(0);
  }

  private static String secondBefore(Instant time) {
    return new Watermark(time.minusSeconds(1).toEpochMilli() - 1).toString();
  }

  private static final class OfOnePartition implements WatermarkGeneratorSupplier.Context {
    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup();
    }

    @Override
    public RelativeClock getInputActivityClock() {
      return SystemClock.getInstance();
    }
  }

  private static final class Told implements WatermarkOutput {
    private final List<String> words = new ArrayList<>();

    @Override
    public void emitWatermark(Watermark watermark) {
      words.add(watermark.toString());
    }

    @Override
    public void markIdle() {
      words.add("idle");
    }

    @Override
    public void markActive() {
      words.add("active");
    }
  }
}
