package io.tocsin.connectors.kafka;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
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

class EventDeserializerTest {
  private static final Duration AHEAD = Duration.ofHours(2);

  /** Kafka's time has milliseconds. */
  private static final long END_OF_APPEND = unixNanos(NOON) + 999_999;

  private final MetricListener metrics = new MetricListener();
  private final EventDeserializer deserializer = new EventDeserializer();

  @BeforeEach
  void open() {
    deserializer.open(new MetricsOnly(metrics.getMetricGroup()));
  }

  @Test
  void eventsComeOutAsTheyWentIn() {
    Event event = TestEvents.syslog(1, NOON);

    assertThat(deserialize(event.toByteArray())).containsExactly(event);
    assertThat(undecodable()).isZero();
  }

  @Test
  void whatIsNoEventIsSkippedAndCounted() {
    byte[] bodyOfTheFuture = TestEvents.envelope(2, NOON).build().toByteArray();

    for (byte[] value : new byte[][] {{-1, 0, 17}, null, bodyOfTheFuture}) {
      assertThat(deserialize(value)).isEmpty();
    }

    assertThat(undecodable()).isEqualTo(3);
  }

  @Test
  void whatAnAgentReceivedInTheFutureWasReceivedWhenTheBrokerTookIt() {
    Event event = TestEvents.syslog(1, NOON.plus(AHEAD));

    Event read = appended(event, TimestampType.LOG_APPEND_TIME);

    assertThat(read.getReceivedAtUnixNanos()).isEqualTo(END_OF_APPEND);
    assertThat(read.getEventTimeUnixNanos()).isEqualTo(END_OF_APPEND);
    assertThat(setBack("agent-1")).isEqualTo(1);
  }

  @Test
  void timeThatAnotherClockToldStays() {
    Event event =
        TestEvents.syslog(1, NOON.plus(AHEAD)).toBuilder()
            .setEventTimeUnixNanos(unixNanos(NOON))
            .build();

    assertThat(appended(event, TimestampType.LOG_APPEND_TIME).getEventTimeUnixNanos())
        .isEqualTo(unixNanos(NOON));
  }

  /** An agent times its probes, and the order of a probe and its answer must stay. */
  @Test
  void probeIsSetBackAsAWhole() {
    Event probe =
        TestEvents.probe(1, NOON.plus(AHEAD), 30).toBuilder()
            .setEventTimeUnixNanos(unixNanos(NOON.plus(AHEAD).minusMillis(30)))
            .build();

    Event read = appended(probe, TimestampType.LOG_APPEND_TIME);

    assertThat(read.getReceivedAtUnixNanos() - read.getEventTimeUnixNanos()).isEqualTo(30_000_000);
  }

  /** It is how the agent's clock is known to be wrong. */
  @Test
  void heartbeatStillTellsTheAgentsClock() {
    Event heartbeat = TestEvents.agentStats(1, NOON.plus(AHEAD));

    Event read = appended(heartbeat, TimestampType.LOG_APPEND_TIME);

    assertThat(read.getReceivedAtUnixNanos()).isEqualTo(END_OF_APPEND);
    assertThat(read.getEventTimeUnixNanos()).isEqualTo(heartbeat.getEventTimeUnixNanos());
  }

  @Test
  void whatIsNotAheadStaysAsItIs() {
    Event late = TestEvents.syslog(1, NOON.minus(AHEAD));
    Event now = TestEvents.syslog(2, NOON.plusNanos(999_999));

    assertThat(appended(late, TimestampType.LOG_APPEND_TIME)).isEqualTo(late);
    assertThat(appended(now, TimestampType.LOG_APPEND_TIME)).isEqualTo(now);
    assertThat(metrics.getCounter("agent", "agent-1", "set_back_events_total")).isEmpty();
  }

  /** The producer's own time says nothing about the producer's clock. */
  @Test
  void withoutTheBrokersTimeNothingIsSetBack() {
    Event event = TestEvents.syslog(1, NOON.plus(AHEAD));

    assertThat(appended(event, TimestampType.CREATE_TIME)).isEqualTo(event);
  }

  @Test
  void agentsWithoutEndAreCountedAsOne() {
    for (int i = 0; i < 1_001; i++) {
      Event event = TestEvents.syslog(i, NOON.plus(AHEAD)).toBuilder().setAgentId("a" + i).build();
      appended(event, TimestampType.LOG_APPEND_TIME);
    }

    assertThat(setBack("a999")).isEqualTo(1);
    assertThat(setBack("others")).isEqualTo(1);
  }

  private long setBack(String agentId) {
    return metrics.getCounter("agent", agentId, "set_back_events_total").orElseThrow().getCount();
  }

  /** The event as it is read where the broker took it at noon. */
  private Event appended(Event event, TimestampType type) {
    List<Event> events = new ArrayList<>();
    deserializer.deserialize(
        new ConsumerRecord<>(
            Topics.EVENTS_SYSLOG,
            2,
            77,
            NOON.toEpochMilli(),
            type,
            0,
            0,
            new byte[0],
            event.toByteArray(),
            new RecordHeaders(),
            Optional.empty()),
        new ListCollector<>(events));
    return events.get(0);
  }

  private List<Event> deserialize(byte[] value) {
    List<Event> events = new ArrayList<>();
    deserializer.deserialize(
        new ConsumerRecord<>(Topics.EVENTS_ALERT, 2, 77, new byte[0], value),
        new ListCollector<>(events));
    return events;
  }

  private long undecodable() {
    return metrics.getCounter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL).orElseThrow().getCount();
  }
}
