package io.tocsin.connectors.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.rules.v1.RuleDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RuleDocumentDeserializerTest {
  private static final RuleDocument DOCUMENT =
      RuleDocument.newBuilder().setName("link").setYaml("rule: link").build();

  private final MetricListener metrics = new MetricListener();
  private final RuleDocumentDeserializer deserializer = new RuleDocumentDeserializer();

  @BeforeEach
  void open() {
    deserializer.open(new MetricsOnly(metrics.getMetricGroup()));
  }

  @Test
  void documentReadsAsItWasWritten() {
    assertThat(deserialize(DOCUMENT.toByteArray())).containsExactly(DOCUMENT);
  }

  @Test
  void tombstoneWithdrawsTheDocumentOfItsKey() {
    assertThat(deserialize(null))
        .containsExactly(RuleDocument.newBuilder().setName("link").build());
  }

  @Test
  void recordThatIsNoDocumentIsSkippedAndCounted() {
    assertThat(deserialize(new byte[] {-1, -1})).isEmpty();
    assertThat(
            metrics
                .getCounter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL)
                .orElseThrow()
                .getCount())
        .isEqualTo(1);
  }

  private List<RuleDocument> deserialize(byte[] value) {
    List<RuleDocument> documents = new ArrayList<>();
    byte[] key = "link".getBytes(StandardCharsets.UTF_8);
    deserializer.deserialize(
        new ConsumerRecord<>(Topics.RULES, 0, 0, key, value), new ListCollector<>(documents));
    return documents;
  }
}
