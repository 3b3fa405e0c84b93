package io.tocsin.connectors.tables;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.clickhouse.EncodedRows;
import io.tocsin.connectors.clickhouse.Origin;
import io.tocsin.connectors.clickhouse.TableRouter.Row;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.rejects.v1.Reason;
import io.tocsin.rejects.v1.Stage;
import io.tocsin.testsupport.TestEvents;
import io.tocsin.wan.v1.WanEpisode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchiveTablesTest {
  private static final LeaseLatency ANSWER =
      LeaseLatency.newBuilder()
          .setEventId("agent-1-1-1")
          .setEventTimeUnixNanos(unixNanos(NOON))
          .setKind(LeaseLatency.Kind.KIND_ACK)
          .setFamily(4)
          .setMac("02:00:00:00:00:2a")
          .setIp("10.1.2.3")
          .setServer("10.1.0.1")
          .setScope("10.1.2.0/24")
          .setSite("dc1")
          .setLatencyMs(2.5)
          .build();

  private final ArchiveTables tables = new ArchiveTables();

  @Test
  void everyTopicHasItsTable() {
    Map<String, String> tableOfTopic =
        Map.of(
            Topics.ALERTS, "alert_history",
            Topics.REGISTRATIONS, "registration_history",
            Topics.WAN_EPISODES, "wan_episodes",
            Topics.LEASE_LATENCIES, "lease_latencies");

    tableOfTopic.forEach(
        (topic, table) ->
            assertThat(tables.rowOf(record(topic, new byte[0])).encoder().table())
                .isEqualTo(table));
    assertThat(tables.rowOf(record(Topics.EVENTS_SYSLOG, TestEvents.syslog(1, NOON))).encoder())
        .extracting("table")
        .isEqualTo("syslog");
  }

  @Test
  void heartbeatStandsInNoTableOfAlertsAndItsUpdatesAreStored() {
    Alert.Builder alert = Alert.newBuilder().setFingerprint("f").setSource("tocsin-heartbeat");
    Event.Builder update = TestEvents.raise(1, NOON).toBuilder();
    update.getAlertUpdateBuilder().setSource("tocsin-heartbeat");

    assertThat(tables.stores(record(Topics.ALERTS, alert.build()))).isFalse();
    assertThat(tables.stores(record(Topics.ALERTS, alert.setSource("hyak").build()))).isTrue();
    assertThat(tables.stores(record(Topics.EVENTS_ALERT, update.build()))).isTrue();
    assertThat(tables.stores(record(Topics.ALERTS, new byte[] {1}))).isTrue();
  }

  @Test
  void rowSaysWhereItComesFromAndWhichListenerMissesIt() {
    Event event = TestEvents.syslog(1, NOON);
    Event reject = TestEvents.reject(2, NOON);
    Event.Builder ofPublish = reject.toBuilder();
    ofPublish.getRejectBuilder().setStage(Stage.STAGE_PUBLISH);

    Row<?> row = tables.rowOf(record(Topics.EVENTS_SYSLOG, event));

    assertThat(row.offset()).isEqualTo(77);
    assertThat(row.origin())
        .isEqualTo(
            new Origin(
                Topics.EVENTS_SYSLOG,
                2,
                event.getAgentId(),
                TestEvents.BOOT_ID,
                event.getListener()));
    assertThat(originOf(Topics.REJECTS, reject).listener()).isEqualTo(reject.getListener());
    // The balance sheet counts none of these.
    assertThat(originOf(Topics.REJECTS, ofPublish.build()))
        .isEqualTo(new Origin(Topics.REJECTS, 2, "", 0, ""));
    assertThat(originOf(Topics.AGENT_STATS, TestEvents.agentStats(3, NOON)).agentId()).isEmpty();
    assertThat(originOf(Topics.LEASE_LATENCIES, ANSWER).agentId()).isEmpty();
    assertThat(originOf(Topics.ALERTS, Alert.getDefaultInstance()))
        .isEqualTo(new Origin(Topics.ALERTS, 2, "", 0, ""));
    assertThat(
            tables.rejectOf(record(Topics.EVENTS_SYSLOG, event), "does not fit").origin().agentId())
        .isEqualTo(event.getAgentId());
  }

  private Origin originOf(String topic, Message value) {
    return tables.rowOf(record(topic, value)).origin();
  }

  @Test
  void rowHoldsTheColumnsInTheirOrder() {
    Row<?> row = tables.rowOf(record(Topics.LEASE_LATENCIES, ANSWER));

    assertThat(row.encoder().columns())
        .containsExactly(
            "event_id",
            "event_time",
            "kind",
            "family",
            "mac",
            "ip",
            "server",
            "scope",
            "relay",
            "site",
            "latency_ms");
    assertThat(encoded(row))
        .isEqualTo(
            EncodedRows.of(
                row.encoder().columns(),
                expected ->
                    expected
                        .string("agent-1-1-1")
                        .dateTime64Nanos(unixNanos(NOON))
                        .enum8("kind", 2, 1, 2)
                        .uint8(4)
                        .string("02:00:00:00:00:2a")
                        .string("10.1.2.3")
                        .string("10.1.0.1")
                        .string("10.1.2.0/24")
                        .string("")
                        .string("dc1")
                        .float64(2.5)));
  }

  @Test
  void whatWasToldLaterInAPartitionHasALaterTime() {
    List<TopicRecord> partition =
        List.of(
            at(0, NOON.minusMillis(1)), at(1, NOON), at(2, NOON), at(999_999, NOON.plusMillis(1)));

    assertThat(partition)
        .extracting(TopicRecord::toldAtUnixNanos)
        .isSorted()
        .doesNotHaveDuplicates()
        .endsWith(unixNanos(NOON.plusMillis(1)) + 999_999);
  }

  private static TopicRecord at(long offset, Instant time) {
    return new TopicRecord(Topics.ALERTS, 0, offset, time.toEpochMilli(), new byte[0], new byte[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {Topics.EVENTS_ALERT, Topics.ALERTS, Topics.WAN_EPISODES})
  void bytesThatAreNoMessageOfTheirTopicBecomeARejectThatKeepsThem(String topic) {
    byte[] garbage = {(byte) 0xff, 0, 17};

    Event reject = rejectOf(record(topic, garbage));

    assertThat(reject.getReject().getStage()).isEqualTo(Stage.STAGE_ARCHIVE);
    assertThat(reject.getReject().getReason()).isEqualTo(Reason.REASON_UNDECODABLE);
    assertThat(reject.getReject().getDetail()).contains("no message of topic " + topic);
    assertThat(reject.getReject().getOriginalBytes()).isEqualTo(3);
    assertThat(reject.getRaw()).isEqualTo(ByteString.copyFrom(garbage));
    assertThat(reject.getEventId()).isEqualTo(topic + "-2-77");
    assertThat(reject.getDevice()).isEqualTo("n0418");
    assertThat(reject.getReceivedAtUnixNanos()).isEqualTo(unixNanos(NOON));
  }

  @Test
  void eventWithABodyOfTheFutureBecomesARejectThatKeepsAllOfIt() {
    Event future = TestEvents.envelope(1, NOON).build();

    Event reject = rejectOf(record(Topics.EVENTS_ALERT, future));

    assertThat(reject.getReject().getReason()).isEqualTo(Reason.REASON_UNDECODABLE);
    assertThat(reject.getReject().getDetail()).contains("update the jobs");
    assertThat(reject.getRaw()).isEqualTo(future.toByteString());
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, Long.MIN_VALUE, Long.MAX_VALUE})
  void recordWithATimeThatRetentionWouldTakeIsOfThePresent(long timestampMillis) {
    long before = unixNanos(Instant.now());

    Event reject =
        rejectOf(
            new TopicRecord(
                Topics.EVENTS_ALERT, 0, 0, timestampMillis, new byte[0], new byte[] {-1}));

    assertThat(reject.getReceivedAtUnixNanos())
        .isBetween(before - 1_000_000, unixNanos(Instant.now()));
  }

  @Test
  void whatATableCannotHoldBecomesARejectOfTheJobThatToldIt() {
    Map<TopicRecord, Stage> told =
        Map.of(
            record(Topics.LEASE_LATENCIES, ANSWER.toBuilder().setEventTimeUnixNanos(-1).build()),
            Stage.STAGE_REGISTRATIONS,
            record(Topics.ALERTS, Alert.newBuilder().setLastSeenUnixNanos(-1).build()),
            Stage.STAGE_ALERTS,
            record(Topics.REGISTRATIONS, Registration.newBuilder().setSite("dc1").build()),
            Stage.STAGE_REGISTRATIONS,
            record(Topics.WAN_EPISODES, WanEpisode.newBuilder().setSite("dc1").build()),
            Stage.STAGE_WAN);

    told.forEach(
        (record, stage) -> {
          Event reject = rejectOf(record);
          assertThat(reject.getReject().getStage()).isEqualTo(stage);
          assertThat(reject.getReject().getReason()).isEqualTo(Reason.REASON_INVALID_VALUE);
          assertThat(reject.getRaw()).isEqualTo(ByteString.copyFrom(record.value()));
        });
  }

  /** The reject of a record that no table takes, which its own table takes. */
  private Event rejectOf(TopicRecord record) {
    String[] detail = new String[1];
    assertThatIllegalArgumentException()
        .isThrownBy(() -> encoded(tables.rowOf(record)))
        .satisfies(e -> detail[0] = e.getMessage());
    Row<?> reject = tables.rejectOf(record, detail[0]);
    encoded(reject);
    return (Event) reject.element();
  }

  private static <T> byte[] encoded(Row<T> row) {
    return EncodedRows.of(row.encoder(), row.element());
  }

  private static TopicRecord record(String topic, Message value) {
    return record(topic, value.toByteArray());
  }

  private static TopicRecord record(String topic, byte[] value) {
    byte[] key = "n0418".getBytes(StandardCharsets.UTF_8);
    return new TopicRecord(topic, 2, 77, NOON.toEpochMilli(), key, value);
  }
}
