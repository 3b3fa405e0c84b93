package io.tocsin.jobs.archive;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.clickhouse.BlockLimits;
import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.tables.ArchiveTables;
import io.tocsin.connectors.tables.CopiesTables;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.ClickHouseUnderTest;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The whole sink under failures: a job that dies twice between checkpoints, and a server that
 * answers for real.
 */
class ArchiveExactlyOnceITCase {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  private static final int EVENTS = 10_000;
  private static final int EVENTS_PER_CHECKPOINT = 1_000;
  private static final Set<Long> FAIL_ONCE_AT = Set.of(2_500L, 7_200L);
  private static final int COPIES = EVENTS / 2 - EVENTS / 20;
  private static final int MESSAGES = EVENTS - COPIES;
  private static final long POISON_INDEX = 4_321;

  @Test
  void everyEventIsStoredOnceAlthoughTheJobFails() throws Exception {
    ClickHouseUnderTest clickHouse = ClickHouseUnderTest.require();
    String agent = "test-" + UUID.randomUUID();
    var source =
        new DataGeneratorSource<>(
            new FailingGenerator(agent),
            EVENTS,
            RateLimiterStrategy.perCheckpoint(EVENTS_PER_CHECKPOINT),
            TypeInformation.of(TopicRecord.class));
    var smallBlocks = new BlockLimits(400, 1 << 20, 1 << 20, 1, Duration.ZERO);
    var sink =
        new ClickHouseSink<>(
            ClickHouseConnection.open(clickHouse.url()), new ArchiveTables(), smallBlocks);
    var copies =
        new ClickHouseSink<>(
            ClickHouseConnection.open(clickHouse.url()), new CopiesTables(), smallBlocks);

    var env = TestCluster.environment();
    ArchiveJob.define(env, source, sink, copies);
    env.execute();

    assertThat(FailingGenerator.FAILURES).contains(agent + 2_500, agent + 7_200);
    String ofAgent = " WHERE agent_id = '" + agent + "'";
    assertThat(clickHouse.query("SELECT count(), uniqExact(event_id) FROM tocsin.syslog" + ofAgent))
        .isEqualTo((EVENTS - 1) + "\t" + (EVENTS - 1));
    assertThat(
            clickHouse.query(
                "SELECT sum(stored) FROM tocsin.stored_totals" + ofAgent + " AND kind = 'syslog'"))
        .isEqualTo(Integer.toString(EVENTS - 1));
    assertThat(
            clickHouse.query(
                "SELECT agent_sequence, stage, reason, detail FROM tocsin.rejects" + ofAgent))
        .isEqualTo(
            POISON_INDEX + "\tarchive\tinvalid_value\tsource_ip has 3 bytes: it must have 16");
  }

  /**
   * Each line by two agents, some of them by one alone, while the job fails and is restored. Copies
   * stay in checkpoints until the last one.
   */
  @Test
  void whatTwoAgentsReceivedIsStoredOnceAlthoughTheJobFails() throws Exception {
    ClickHouseUnderTest clickHouse = ClickHouseUnderTest.require();
    String pair = "pair-" + UUID.randomUUID();
    var source =
        new DataGeneratorSource<>(
            new PairGenerator(pair),
            EVENTS,
            RateLimiterStrategy.perCheckpoint(EVENTS_PER_CHECKPOINT),
            TypeInformation.of(TopicRecord.class));
    var connection = ClickHouseConnection.open(clickHouse.url());
    var patient = new BlockLimits(100_000, 1 << 20, 1 << 20, 1, Duration.ofHours(1));

    var env = TestCluster.environment();
    env.setParallelism(1);
    ArchiveJob.define(
        env,
        source,
        new ClickHouseSink<>(connection, new ArchiveTables()),
        new ClickHouseSink<>(connection, new CopiesTables(), patient));
    env.execute();

    assertThat(PairGenerator.FAILURES).contains(pair + 2_500, pair + 7_200);
    String ofPair = " WHERE agent_id LIKE '" + pair + "%'";
    assertThat(
            clickHouse.query(
                "SELECT count(), uniqExact(event_id), uniqExact(message) FROM tocsin.syslog"
                    + ofPair))
        .isEqualTo(MESSAGES + "\t" + MESSAGES + "\t" + MESSAGES);
    assertThat(
            clickHouse.query(
                "SELECT count(), uniqExact(event_id), any(copies_group), countIf(kept_event_id IN"
                    + " (SELECT event_id FROM tocsin.syslog) AND kept_event_id != event_id) FROM"
                    + " tocsin.duplicates"
                    + ofPair))
        .isEqualTo(COPIES + "\t" + COPIES + "\tcore\t" + COPIES);
    assertThat(
            clickHouse.query(
                "SELECT kind, sum(stored) FROM tocsin.stored_totals"
                    + ofPair
                    + " GROUP BY kind ORDER BY kind"))
        .isEqualTo("duplicates\t" + COPIES + "\nsyslog\t" + MESSAGES);
  }

  /** Two agents in turn; the second one lost every tenth of its messages. */
  private static final class PairGenerator implements GeneratorFunction<Long, TopicRecord> {
    static final Set<String> FAILURES = ConcurrentHashMap.newKeySet();

    private final String pair;

    PairGenerator(String pair) {
      this.pair = pair;
    }

    @Override
    public TopicRecord map(Long index) {
      if (FAIL_ONCE_AT.contains(index) && FAILURES.add(pair + index)) {
        throw new IllegalStateException("test: failure at " + index);
      }
      boolean isFirst = index % 2 == 0;
      long message = index / 2;
      // What the second lost stands in its place as a message that it alone has.
      boolean isAlone = !isFirst && message % 10 == 0;
      Event line = TestEvents.syslog(message, NOON.plusMillis(isAlone ? -message : message));
      Event event = TestEvents.ofGroup(pair + (isFirst ? "-1" : "-2"), message, line);
      var syslog =
          event.getSyslog().toBuilder().setMessage((isAlone ? "alone " : "line ") + message);
      return Records.of(event.toBuilder().setSyslog(syslog).build(), index);
    }
  }

  /**
   * Makes syslog events; throws once at each of some places; makes one event that no table takes.
   */
  private static final class FailingGenerator implements GeneratorFunction<Long, TopicRecord> {
    static final Set<String> FAILURES = ConcurrentHashMap.newKeySet();

    private final String agent;

    FailingGenerator(String agent) {
      this.agent = agent;
    }

    @Override
    public TopicRecord map(Long index) {
      if (FAIL_ONCE_AT.contains(index) && FAILURES.add(agent + index)) {
        throw new IllegalStateException("test: failure at " + index);
      }
      Event.Builder event = TestEvents.syslog(index, NOON).toBuilder().setAgentId(agent);
      if (index == POISON_INDEX) {
        event.setSourceIp(ByteString.copyFrom(new byte[3]));
      }
      return Records.of(event.build(), index);
    }
  }
}
