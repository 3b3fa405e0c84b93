package io.tocsin.connectors.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Acknowledgement.Action;
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

class AcknowledgementDeserializerTest {
  private static final Acknowledgement SAID =
      Acknowledgement.newBuilder()
          .setAcknowledgementId("a1")
          .setFingerprint("0123456789abcdef0123456789abcdef")
          .setAction(Action.ACTION_ACKNOWLEDGE)
          .setBy("ada")
          .setNote("on my way")
          .build();

  private final MetricListener metrics = new MetricListener();
  private final AcknowledgementDeserializer deserializer = new AcknowledgementDeserializer();

  @BeforeEach
  void open() {
    deserializer.open(new MetricsOnly(metrics.getMetricGroup()));
  }

  @Test
  void wordIsSaidWhenTheBrokerTookIt() {
    Acknowledgement early = SAID.toBuilder().setSaidAtUnixNanos(1).build();

    assertThat(read(early.toByteArray()))
        .containsExactly(SAID.toBuilder().setSaidAtUnixNanos(5_999_999).build());
  }

  @Test
  void whatIsNoWordOrTooLargeIsSkipped() {
    for (Acknowledgement.Builder word :
        List.of(
            SAID.toBuilder().clearAcknowledgementId(),
            SAID.toBuilder().setAcknowledgementId("a".repeat(101)),
            SAID.toBuilder().setFingerprint("0123"),
            SAID.toBuilder().clearAction(),
            SAID.toBuilder().setActionValue(99),
            SAID.toBuilder().clearBy(),
            SAID.toBuilder().setBy("b".repeat(101)),
            SAID.toBuilder().setNote("n".repeat(1_001)))) {
      assertThat(read(word.build().toByteArray())).as(word.toString()).isEmpty();
    }
    assertThat(read(new byte[] {1, 2, 3})).isEmpty();
    assertThat(read(null)).isEmpty();
  }

  private List<Acknowledgement> read(byte[] value) {
    List<Acknowledgement> words = new ArrayList<>();
    deserializer.deserialize(
        new ConsumerRecord<>(
            Topics.ACKNOWLEDGEMENTS,
            0,
            0,
            5,
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            new byte[0],
            value,
            new RecordHeaders(),
            Optional.empty()),
        new ListCollector<>(words));
    return words;
  }
}
