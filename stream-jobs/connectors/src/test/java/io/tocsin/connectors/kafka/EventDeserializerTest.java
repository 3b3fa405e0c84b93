package io.tocsin.connectors.kafka;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.kafka.EventDeserializer.Undecodable;
import io.tocsin.events.v1.Event;
import io.tocsin.rejects.v1.Reason;
import io.tocsin.rejects.v1.Stage;
import io.tocsin.testsupport.TestEvents;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventDeserializerTest {
  private MetricListener metrics;
  private final EventDeserializer deserializer = new EventDeserializer(Undecodable.REJECT);

  @BeforeEach
  void open() {
    open(deserializer);
  }

  private void open(EventDeserializer deserializer) {
    metrics = new MetricListener();
    deserializer.open(new MetricsOnly(metrics.getMetricGroup()));
  }

  @Test
  void eventsComeOutAsTheyWentIn() {
    Event event = TestEvents.syslog(1, NOON);

    assertThat(deserialize(event.toByteArray())).containsExactly(event);
    assertThat(undecodable()).isZero();
  }

  @Test
  void bytesThatAreNoEventBecomeARejectThatKeepsThem() {
    byte[] garbage = {(byte) 0xff, 0, 17};

    Event reject = deserialize(garbage).get(0);

    assertThat(reject.getReject().getStage()).isEqualTo(Stage.STAGE_ARCHIVE);
    assertThat(reject.getReject().getReason()).isEqualTo(Reason.REASON_UNDECODABLE);
    assertThat(reject.getReject().getOriginalBytes()).isEqualTo(3);
    assertThat(reject.getRaw()).isEqualTo(ByteString.copyFrom(garbage));
    assertThat(reject.getEventId()).isEqualTo("events-alert-v1-2-77");
    assertThat(reject.getDevice()).isEqualTo("n0418");
    assertThat(reject.getReceivedAtUnixNanos()).isEqualTo(unixNanos(NOON));
    assertThat(undecodable()).isEqualTo(1);
  }

  @Test
  void eventWithABodyOfTheFutureBecomesAReject() {
    Event reject = deserialize(TestEvents.envelope(1, NOON).build().toByteArray()).get(0);

    assertThat(reject.getReject().getReason()).isEqualTo(Reason.REASON_UNDECODABLE);
    assertThat(reject.getReject().getDetail()).contains("update the jobs");
  }

  @Test
  void recordWithoutAValueBecomesAReject() {
    assertThat(deserialize(null).get(0).getReject().getReason())
        .isEqualTo(Reason.REASON_UNDECODABLE);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, Long.MIN_VALUE, Long.MAX_VALUE})
  void recordWithATimeThatRetentionWouldTakeIsOfThePresent(long timestampMillis) {
    long before = unixNanos(Instant.now());

    Event reject = deserialize(null, timestampMillis).get(0);

    assertThat(reject.getReceivedAtUnixNanos())
        .isBetween(before - 1_000_000, unixNanos(Instant.now()));
  }

  @Test
  void jobBesideTheArchiveSkipsAndCountsWhatIsNoEvent() {
    EventDeserializer skipping = new EventDeserializer(Undecodable.SKIP);
    open(skipping);
    Event event = TestEvents.raise(1, NOON);

    for (byte[] value :
        new byte[][] {{-1, 0, 17}, null, TestEvents.envelope(2, NOON).build().toByteArray()}) {
      assertThat(deserialize(skipping, value, NOON.toEpochMilli())).isEmpty();
    }
    assertThat(deserialize(skipping, event.toByteArray(), NOON.toEpochMilli()))
        .containsExactly(event);
    assertThat(undecodable()).isEqualTo(3);
  }

  private List<Event> deserialize(byte[] value) {
    return deserialize(value, NOON.toEpochMilli());
  }

  private List<Event> deserialize(byte[] value, long timestampMillis) {
    return deserialize(deserializer, value, timestampMillis);
  }

  private static List<Event> deserialize(
      EventDeserializer deserializer, byte[] value, long timestampMillis) {
    List<Event> events = new ArrayList<>();
    deserializer.deserialize(
        new ConsumerRecord<>(
            Topics.EVENTS_ALERT,
            2,
            77,
            timestampMillis,
            TimestampType.CREATE_TIME,
            0,
            0,
            "n0418".getBytes(StandardCharsets.UTF_8),
            value,
            new RecordHeaders(),
            Optional.empty()),
        new ListCollector<>(events));
    return events;
  }

  private long undecodable() {
    return metrics.getCounter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL).orElseThrow().getCount();
  }
}
