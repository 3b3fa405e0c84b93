package io.tocsin.connectors.clickhouse;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.TableRouter.Row;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.connectors.tables.ArchiveTables;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.ClickHouseUnderTest;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.apache.flink.api.connector.sink2.mocks.MockCommitRequest;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table that refuses some numbers, and a view that refuses others, at a real server. */
class QuarantineITCase {
  private final String table = "quarantine_" + UUID.randomUUID().toString().replace('-', '_');
  private final String agent = table;
  private ClickHouseUnderTest clickHouse;

  @BeforeEach
  void makeTables() {
    clickHouse = ClickHouseUnderTest.require();
    String engine =
        " ENGINE = MergeTree ORDER BY number SETTINGS non_replicated_deduplication_window = 1000";
    clickHouse.query(
        "CREATE TABLE tocsin.%s (number UInt64, CONSTRAINT small CHECK number < 5)".formatted(table)
            + engine);
    clickHouse.query("CREATE TABLE tocsin.%s_copy (number UInt64)".formatted(table) + engine);
    clickHouse.query(
        "CREATE MATERIALIZED VIEW tocsin.%1$s_copied TO tocsin.%1$s_copy AS SELECT number FROM tocsin.%1$s"
            .formatted(table));
    clickHouse.query("CREATE TABLE tocsin.%s_odd (number UInt64)".formatted(table) + engine);
    clickHouse.query(
        "CREATE MATERIALIZED VIEW tocsin.%1$s_throws TO tocsin.%1$s_odd AS SELECT number + throwIf(number = 2) AS number FROM tocsin.%1$s"
            .formatted(table));
  }

  @AfterEach
  void dropTables() {
    if (clickHouse != null) {
      for (String name : List.of("throws", "odd", "copied", "copy")) {
        clickHouse.query("DROP TABLE tocsin." + table + "_" + name);
      }
      clickHouse.query("DROP TABLE tocsin." + table);
      clickHouse.query("DELETE FROM tocsin.quarantined_blocks WHERE table = '" + table + "'");
    }
  }

  @Test
  void refusedBlockWaitsWithItsBytesAndAllOthersAreStored() throws Exception {
    Block refused = block(3, 4, 5);

    commit(refused, block(1), block(0));

    assertThat(numbers(table)).isEqualTo("[0,1]");
    assertThat(
            quarantined("columns, rows, token, is_stored, position(error, 'small') > 0, origins"))
        .isEqualTo(
            "['number']\t3\t%s\tfalse\t1\t[('events-syslog-v1',2,3,5,'%s',%d,'syslog-udp',3)]"
                .formatted(refused.deduplicationToken(), agent, TestEvents.BOOT_ID));
    assertThat(HexFormat.of().parseHex(quarantined("lower(hex(zstd_rows))")))
        .isEqualTo(refused.zstdRows());
  }

  @Test
  void blockThatIsCommittedAgainAfterARestartStaysInTheQuarantineAlone() throws Exception {
    Block refused = block(3, 4, 5);
    commit(refused);
    commit(refused);
    assertThat(quarantined("count()")).isEqualTo("1");

    clickHouse.query("ALTER TABLE tocsin." + table + " DROP CONSTRAINT small");
    commit(refused, block(7));

    assertThat(numbers(table)).isEqualTo("[7]");
    assertThat(quarantined("count()")).isEqualTo("1");
  }

  @Test
  void blockThatAViewRefusesIsInItsTableAndInAllOtherViewsOnce() throws Exception {
    commit(block(1, 2), block(3));

    assertThat(numbers(table)).isEqualTo("[1,2,3]");
    assertThat(numbers(table + "_copy")).isEqualTo("[1,2,3]");
    assertThat(numbers(table + "_odd")).isEqualTo("[3]");
    assertThat(quarantined("rows, is_stored, position(error, 'throwIf') > 0"))
        .isEqualTo("2\ttrue\t1");
  }

  @Test
  void viewWhoseTableIsGoneHoldsUpNothing() throws Exception {
    clickHouse.query("DROP TABLE tocsin." + table + "_odd");
    try {
      commit(block(1), block(3));
    } finally {
      clickHouse.query("CREATE TABLE tocsin." + table + "_odd (number UInt64) ENGINE = Memory");
    }

    assertThat(numbers(table)).isEqualTo("[1,3]");
    assertThat(numbers(table + "_copy")).isEqualTo("[1,3]");
    assertThat(quarantined("count(), sum(is_stored)")).isEqualTo("2\t2");
  }

  @Test
  void balanceClosesAndNamesRowsInTheQuarantine() throws Exception {
    Event.Builder report = TestEvents.agentStats(9, NOON).toBuilder().setAgentId(agent);
    report.setListener("syslog-udp");
    report.getAgentStatsBuilder().setReceived(3).setEvents(3).setPublished(3).setAcked(3);
    Row<?> row = new ArchiveTables().rowOf(record(Topics.AGENT_STATS, 0, report.build()));

    commit(sealed(row), block(3, 4, 5));

    assertThat(
            clickHouse.query(
                "SELECT stored_events, quarantined, missing, unreported, closed FROM tocsin.balance"
                    + " WHERE agent_id = '%s' AND acked > 0".formatted(agent)))
        .isEqualTo("0\t3\t0\t0\t1");
  }

  private void commit(Block... blocks) throws Exception {
    try (var committer =
        new ClickHouseCommitter(
            new ClientInserter(ClickHouseConnection.open(clickHouse.url())),
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), new Random(1)),
            System::nanoTime,
            new MetricListener().getMetricGroup())) {
      committer.commit(
          Stream.of(blocks).<CommitRequest<Block>>map(MockCommitRequest::new).toList());
    }
  }

  /** Numbers as rows of this table, from a record each, whose offset is the number. */
  private Block block(long... numbers) {
    RowEncoder<Long> encoder =
        new RowEncoder<>(table, List.of("number")) {
          @Override
          public void encode(Long number, NativeWriter row) {
            row.uint64(number);
          }
        };
    BlockBuilder block = new BlockBuilder(encoder);
    for (long number : numbers) {
      Event event = TestEvents.syslog(number, NOON).toBuilder().setAgentId(agent).build();
      Row<?> row = new ArchiveTables().rowOf(record(Topics.EVENTS_SYSLOG, number, event));
      block.add(number, encoder);
      block.note(row.origin(), row.offset());
    }
    return block.seal();
  }

  private static <T> Block sealed(Row<T> row) {
    BlockBuilder block = new BlockBuilder(row.encoder());
    block.add(row.element(), row.encoder());
    block.note(row.origin(), row.offset());
    return block.seal();
  }

  private static TopicRecord record(String topic, long offset, Event event) {
    return new TopicRecord(topic, 2, offset, NOON.toEpochMilli(), new byte[0], event.toByteArray());
  }

  private String numbers(String of) {
    return clickHouse.query("SELECT arraySort(groupArray(number)) FROM tocsin." + of);
  }

  private String quarantined(String columns) {
    return clickHouse.query(
        "SELECT %s FROM tocsin.quarantined_blocks FINAL WHERE table = '%s'"
            .formatted(columns, table));
  }
}
