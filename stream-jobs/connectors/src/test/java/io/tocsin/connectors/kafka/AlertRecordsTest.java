package io.tocsin.connectors.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records of alerts-v1, written and read. */
class AlertRecordsTest {
  private static final Alert ALERT =
      Alert.newBuilder()
          .setFingerprint("00ef3b0f")
          .setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
          .setVersion(3)
          .build();

  private final MetricListener metrics = new MetricListener();
  private final AlertDeserializer deserializer = new AlertDeserializer();

  @BeforeEach
  void open() {
    deserializer.open(new MetricsOnly(metrics.getMetricGroup()));
  }

  @Test
  void keyIsTheFingerprintAndTheValueReadsAsItWasWritten() {
    var record = new AlertSerializer().serialize(ALERT, null, null);

    assertThat(record.topic()).isEqualTo("alerts-v1");
    assertThat(record.key()).asString().isEqualTo("00ef3b0f");
    assertThat(deserialize(record.value())).containsExactly(ALERT);
    assertThat(undecodable()).isZero();
  }

  @Test
  void alertThatIsForgottenBecomesATombstone() {
    var record =
        new AlertSerializer().serialize(ALERT.toBuilder().clearTransition().build(), null, null);

    assertThat(record.key()).asString().isEqualTo("00ef3b0f");
    assertThat(record.value()).isNull();
  }

  @Test
  void tombstoneIsSkipped() {
    assertThat(deserialize(null)).isEmpty();
    assertThat(undecodable()).isZero();
  }

  @Test
  void recordThatIsNoAlertIsSkippedAndCounted() {
    assertThat(deserialize(new byte[] {-1, -1})).isEmpty();
    assertThat(undecodable()).isEqualTo(1);
  }

  private List<Alert> deserialize(byte[] value) {
    List<Alert> alerts = new ArrayList<>();
    deserializer.deserialize(
        new ConsumerRecord<>(Topics.ALERTS, 0, 0, new byte[0], value), new ListCollector<>(alerts));
    return alerts;
  }

  private long undecodable() {
    return metrics.getCounter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL).orElseThrow().getCount();
  }
}
