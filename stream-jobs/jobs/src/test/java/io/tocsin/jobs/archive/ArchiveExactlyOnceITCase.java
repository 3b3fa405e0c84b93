package io.tocsin.jobs.archive;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.clickhouse.BlockLimits;
import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.tables.EventTables;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.ClickHouseUnderTest;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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
            ProtobufTypeInfo.forMessage(Event.class));
    var smallBlocks = new BlockLimits(400, 1 << 20, 1 << 20, 1);
    var sink =
        new ClickHouseSink<>(
            ClickHouseConnection.open(clickHouse.url()), new EventTables(), smallBlocks);

    var env = TestCluster.environment();
    ArchiveJob.define(env, source, sink);
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
   * Makes syslog events; throws once at each of some places; makes one event that no table takes.
   */
  private static final class FailingGenerator implements GeneratorFunction<Long, Event> {
    static final Set<String> FAILURES = ConcurrentHashMap.newKeySet();

    private final String agent;

    FailingGenerator(String agent) {
      this.agent = agent;
    }

    @Override
    public Event map(Long index) {
      if (FAIL_ONCE_AT.contains(index) && FAILURES.add(agent + index)) {
        throw new IllegalStateException("test: failure at " + index);
      }
      Event.Builder event = TestEvents.syslog(index, NOON).toBuilder().setAgentId(agent);
      return index == POISON_INDEX
          ? event.setSourceIp(ByteString.copyFrom(new byte[3])).build()
          : event.build();
    }
  }
}
