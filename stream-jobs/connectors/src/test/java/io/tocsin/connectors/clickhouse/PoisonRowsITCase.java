package io.tocsin.connectors.clickhouse;

import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.connectors.tables.ArchiveTables;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.wan.v1.WanEpisode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.Test;

/**
 * No row stops its block: whatever a message holds, it becomes a row that the server takes and
 * gives back, or a reject that it takes. What a server would refuse, an encoder has refused before.
 */
class PoisonRowsITCase extends ClickHouseCase {
  private static final int MESSAGES = 3_000;
  private static final BlockLimits ROOMY =
      new BlockLimits(100_000, 1 << 28, 1 << 28, 1, Duration.ZERO);

  private final String mark = "poison-" + UUID.randomUUID();

  @Test
  void anyEventIsARowOfItsTableOrAReject() throws Exception {
    HostileMessages hostile = new HostileMessages(418);
    // Recent ones, so that no retention takes rows before they are counted.
    long now = unixNanos(Instant.now());
    List<Event> events =
        messages(
            () ->
                hostile
                    .fill(Event.newBuilder())
                    .setAgentId(mark)
                    .setReceivedAtUnixNanos(now)
                    .setEventTimeUnixNanos(now)
                    .build());

    Map<String, Integer> rows = insert(Topics.EVENTS_SYSLOG, events);

    assertThat(rows).hasSize(11);
    assertThat(rows.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(MESSAGES);
    assertThat(rows).allSatisfy((table, count) -> assertThat(count).as(table).isGreaterThan(10));
    rows.forEach(
        (table, count) -> assertThat(readable(table, "agent_id")).as(table).isEqualTo(count));
  }

  @Test
  void eventOfAnyTimeIsARowOfItsTableOrAReject() throws Exception {
    HostileMessages hostile = new HostileMessages(419);

    Map<String, Integer> rows =
        insert(
            Topics.EVENTS_SYSLOG,
            messages(() -> hostile.fill(Event.newBuilder()).setAgentId(mark).build()));

    assertThat(rows.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(MESSAGES);
    rows.forEach(
        (table, count) ->
            assertThat(readable(table, "agent_id")).as(table).isLessThanOrEqualTo(count));
    // Retention may have the few that are an agent's own rejects of long ago.
    int rejects = rows.get("rejects");
    assertThat(readable("rejects", "agent_id")).isBetween(rejects * 95 / 100, rejects);
  }

  @Test
  void anyTransitionIsARowOfItsHistoryOrAReject() throws Exception {
    HostileMessages hostile = new HostileMessages(420);

    assertThat(
            insert(
                Topics.ALERTS,
                messages(() -> hostile.fill(Alert.newBuilder()).setSite(mark).build())))
        .containsOnlyKeys("alert_history", "rejects");
    assertThat(
            insert(
                Topics.REGISTRATIONS,
                messages(() -> hostile.fill(Registration.newBuilder()).setSite(mark).build())))
        .containsOnlyKeys("registration_history", "rejects");
    assertThat(
            insert(
                Topics.WAN_EPISODES,
                messages(() -> hostile.fill(WanEpisode.newBuilder()).setSite(mark).build())))
        .containsOnlyKeys("wan_episodes", "rejects");
    for (String table : List.of("alert_history", "registration_history", "wan_episodes")) {
      assertThat(readable(table, "site")).as(table).isPositive();
    }
    assertThat(readable("rejects", "site")).isPositive();
  }

  @Test
  void anyAnswerIsARowOfItsTableAndItsRollUpsOrAReject() throws Exception {
    HostileMessages hostile = new HostileMessages(421);
    long now = unixNanos(Instant.now());
    List<LeaseLatency> answers =
        messages(
            () -> {
              // An answer with the id of another would be the same row told again.
              LeaseLatency.Builder answer =
                  hostile
                      .fill(LeaseLatency.newBuilder())
                      .setSite(mark)
                      .setEventId(UUID.randomUUID().toString());
              return answer.getEventTimeUnixNanos() < 0
                  ? answer.build()
                  : answer.setEventTimeUnixNanos(now).build();
            });

    Map<String, Integer> rows = insert(Topics.LEASE_LATENCIES, answers);

    assertThat(rows).containsOnlyKeys("lease_latencies", "rejects");
    assertThat(readable("lease_latencies", "site")).isEqualTo(rows.get("lease_latencies"));
    assertThat(
            clickHouse.query(
                "SELECT sum(answers), count() = countIf(length(formatRow('TabSeparated', *)) > 0)"
                    + " FROM tocsin.lease_latency_1d WHERE site = '"
                    + mark
                    + "'"))
        .isEqualTo(rows.get("lease_latencies") + "\t1");
  }

  private static <T> List<T> messages(Supplier<T> source) {
    return Stream.generate(source).limit(MESSAGES).toList();
  }

  /** Rows that the server took, by table. */
  private Map<String, Integer> insert(String topic, List<? extends Message> messages)
      throws IOException, InterruptedException {
    Collection<Block> blocks = new ArrayList<>();
    try (var writer =
        new ClickHouseWriter<>(
            new ArchiveTables(),
            ROOMY,
            List.of(),
            System::nanoTime,
            new MetricListener().getMetricGroup())) {
      long offset = 0;
      for (Message message : messages) {
        writer.write(
            new TopicRecord(
                topic, 0, offset++, System.currentTimeMillis(), new byte[0], message.toByteArray()),
            null);
      }
      blocks.addAll(writer.prepareCommit());
    }
    for (Block block : blocks) {
      inserter.insert(block);
    }
    return blocks.stream()
        .collect(Collectors.toMap(Block::table, Block::rows, Integer::sum, TreeMap::new));
  }

  /** How many rows are there, each of which was written out as text. */
  private int readable(String table, String column) {
    return Integer.parseInt(
        clickHouse.query(
            "SELECT countIf(length(formatRow('TabSeparated', *)) > 0) FROM tocsin.%s WHERE %s = '%s'"
                .formatted(table, column, mark)));
  }
}
