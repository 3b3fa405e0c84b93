package io.tocsin.connectors.clickhouse;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import com.google.protobuf.ByteString;
import io.tocsin.connectors.tables.EventTables;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.Test;

class ClickHouseWriterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final BlockLimits ROOMY = new BlockLimits(1_000, 1 << 20, 1 << 20, 1, PATIENCE);

  private final MetricListener metrics = new MetricListener();
  private long nowNanos;

  @Test
  void eachTableHasItsBlockAtTheCheckpoint() throws Exception {
    Collection<Block> blocks =
        blocks(
            ROOMY,
            TestEvents.syslog(1, NOON),
            TestEvents.raise(2, NOON),
            TestEvents.syslog(3, NOON),
            TestEvents.agentStats(4, NOON),
            TestEvents.reject(5, NOON));

    assertThat(rowsByTable(blocks))
        .isEqualTo(Map.of("syslog", 2, "alert_updates", 1, "agent_stats", 1, "rejects", 1));
    assertThat(blocks).extracting(Block::deduplicationToken).doesNotHaveDuplicates();
  }

  @Test
  void whatNobodyWaitsForLeavesWhenItIsOldEnoughOrTheInputEnds() throws Exception {
    ClickHouseWriter<Event> writer = writer(ROOMY);
    writer.write(TestEvents.syslog(1, NOON), null);
    writer.write(TestEvents.agentStats(2, NOON), null);
    assertThat(rowsByTable(writer.prepareCommit())).isEqualTo(Map.of("syslog", 1));

    nowNanos = PATIENCE.toNanos() - 1;
    writer.write(TestEvents.agentStats(3, NOON), null);
    assertThat(writer.prepareCommit()).isEmpty();
    nowNanos = PATIENCE.toNanos();
    assertThat(rowsByTable(writer.prepareCommit())).isEqualTo(Map.of("agent_stats", 2));

    writer.write(TestEvents.agentStats(4, NOON), null);
    writer.flush(true);
    assertThat(rowsByTable(writer.prepareCommit())).isEqualTo(Map.of("agent_stats", 1));
  }

  @Test
  void checkpointKeepsWhatItDoesNotCommitAndItsSuccessorCommitsThatOnce() throws Exception {
    ClickHouseWriter<Event> writer = writer(ROOMY);
    Event[] events = {TestEvents.agentStats(1, NOON), TestEvents.agentStats(2, NOON)};
    writer.write(events[0], null);
    assertThat(writer.prepareCommit()).isEmpty();
    List<Block> kept = writer.snapshotState(1);
    writer.write(events[1], null);
    assertThat(writer.prepareCommit()).isEmpty();
    assertThat(writer.snapshotState(2)).extracting(Block::rows).containsExactly(2);
    nowNanos = PATIENCE.toNanos();
    Block inTwoFrames = writer.prepareCommit().iterator().next();
    assertThat(writer.snapshotState(3)).isEmpty();

    ClickHouseWriter<Event> successor = writer(ROOMY, kept);
    successor.write(events[1], null);
    Collection<Block> blocks = successor.prepareCommit();

    assertThat(blocks).isEqualTo(kept);
    assertThat(rowsOf(inTwoFrames))
        .startsWith(encoded(events[0]))
        .endsWith(encoded(events[1]))
        .hasSize(encoded(events[0]).length + encoded(events[1]).length);
    assertThat(rowsOf(kept.get(0))).isEqualTo(encoded(events[0]));
    assertThat(successor.snapshotState(2)).extracting(Block::rows).containsExactly(1);
  }

  @Test
  void blockSaysWhereItsRowsComeFromUpToABound() {
    RowEncoder<Event> encoder = new EventTables().encoderFor(TestEvents.syslog(1, NOON));
    BlockBuilder builder = new BlockBuilder(encoder);
    Origin first = new Origin("events-syslog-v1", 0, "lab", 1, "udp");
    for (long offset : new long[] {7, 5, 9}) {
      builder.note(first, offset);
    }
    for (int boot = 2; boot < 20_000; boot++) {
      builder.note(new Origin("events-syslog-v1", 0, "lab", boot, "udp"), 10);
    }
    builder.note(first, 11);

    List<Origin.Stretch> origins = builder.seal().origins();

    assertThat(origins).hasSize(10_001).contains(new Origin.Stretch(first, 5, 11, 4));
    assertThat(origins.get(10_000))
        .isEqualTo(new Origin.Stretch(Origin.UNKNOWN, 10, 10, 19_998 - 9_999));
    assertThat(builder.seal().origins()).isEmpty();
  }

  @Test
  void checkpointWithoutRowsHasNoBlock() throws Exception {
    ClickHouseWriter<Event> writer = writer(ROOMY);
    assertThat(writer.prepareCommit()).isEmpty();

    writer.write(TestEvents.syslog(1, NOON), null);
    assertThat(writer.prepareCommit()).hasSize(1);
    assertThat(writer.prepareCommit()).isEmpty();
  }

  @Test
  void blockHoldsTheRowsOfItsEncoder() throws Exception {
    Event event = TestEvents.syslog(1, NOON);

    Block block = blocks(ROOMY, event).iterator().next();

    assertThat(rowsOf(block)).isEqualTo(encoded(event));
    assertThat(block.columns()).isEqualTo(new EventTables().encoderFor(event).columns());
  }

  @Test
  void fullBlockIsSealedByRowsAndByBytes() throws Exception {
    Event[] events = {
      TestEvents.syslog(1, NOON), TestEvents.syslog(2, NOON), TestEvents.syslog(3, NOON)
    };

    assertThat(blocks(new BlockLimits(2, 1 << 20, 1 << 20, 1, PATIENCE), events))
        .extracting(Block::rows)
        .containsExactly(2, 1);
    assertThat(blocks(new BlockLimits(1_000, 1, 1 << 20, 1, PATIENCE), events))
        .extracting(Block::rows)
        .containsExactly(1, 1, 1);
  }

  @Test
  void poisonBecomesARejectAndItsNeighboursAreStored() throws Exception {
    Event poison =
        TestEvents.syslog(2, NOON).toBuilder()
            .setSourceIp(ByteString.copyFrom(new byte[3]))
            .setEventTimeUnixNanos(-1)
            .build();

    Collection<Block> blocks =
        blocks(ROOMY, TestEvents.syslog(1, NOON), poison, TestEvents.syslog(3, NOON));

    assertThat(rowsByTable(blocks)).isEqualTo(Map.of("syslog", 2, "rejects", 1));
    assertThat(counter(ClickHouseSink.ENCODED_ROWS_TOTAL)).isEqualTo(3);
    assertThat(counter(ClickHouseSink.REJECTED_ROWS_TOTAL)).isEqualTo(1);
  }

  @Test
  void eventWithoutABodyBecomesAReject() throws Exception {
    assertThat(rowsByTable(blocks(ROOMY, TestEvents.envelope(1, NOON).build())))
        .isEqualTo(Map.of("rejects", 1));
  }

  @Test
  void writerBrakesWhenTooMuchWaitsForTheCheckpoint() throws Exception {
    ClickHouseWriter<Event> writer = writer(new BlockLimits(1, 1 << 20, 1, 1, PATIENCE));

    writer.write(TestEvents.syslog(1, NOON), null);
    writer.write(TestEvents.syslog(2, NOON), null);
    // A block is far above a limit of one byte, so each pause is the longest.
    assertThat(counter(ClickHouseSink.BRAKE_MILLIS_TOTAL)).isEqualTo(2 * 512);

    assertThat(writer.prepareCommit()).hasSize(2);
    assertThat(metrics.<Long>getGauge(ClickHouseSink.SEALED_BYTES).orElseThrow().getValue())
        .isZero();
  }

  @Test
  void brakeGrowsUntilNextToNothingIsRead() {
    BlockLimits limits = BlockLimits.DEFAULT;

    assertThat(limits.brakeMillis((64 << 20) - 1)).isZero();
    assertThat(limits.brakeMillis(64 << 20)).isEqualTo(2);
    assertThat(limits.brakeMillis(68 << 20)).isEqualTo(4);
    assertThat(limits.brakeMillis(100 << 20)).isEqualTo(1_024);
    assertThat(limits.brakeMillis(1L << 40)).isEqualTo(1_024);
  }

  private Collection<Block> blocks(BlockLimits limits, Event... events) throws Exception {
    ClickHouseWriter<Event> writer = writer(limits);
    for (Event event : events) {
      writer.write(event, null);
    }
    nowNanos += PATIENCE.toNanos();
    writer.flush(false);
    return writer.prepareCommit();
  }

  private ClickHouseWriter<Event> writer(BlockLimits limits) {
    return writer(limits, List.of());
  }

  private ClickHouseWriter<Event> writer(BlockLimits limits, List<Block> kept) {
    return new ClickHouseWriter<>(
        new EventTables(), limits, kept, () -> nowNanos, metrics.getMetricGroup());
  }

  /** Of one table. */
  private static byte[] encoded(Event... events) {
    return EncodedRows.of(new EventTables().encoderFor(events[0]), events);
  }

  private static byte[] rowsOf(Block block) throws IOException {
    try (var rows = new ZstdInputStream(new ByteArrayInputStream(block.zstdRows()))) {
      return rows.readAllBytes();
    }
  }

  private static Map<String, Integer> rowsByTable(Collection<Block> blocks) {
    return blocks.stream()
        .collect(Collectors.toMap(Block::table, Block::rows, Integer::sum, TreeMap::new));
  }

  private long counter(String name) {
    return metrics.getCounter(name).orElseThrow().getCount();
  }
}
