package io.tocsin.connectors.kafka;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventDeserializerTest {
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
