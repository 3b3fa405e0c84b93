package io.tocsin.connectors.kafka;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Alerts to records of {@code alerts-v1}: the key is the fingerprint, so compaction keeps the
 * newest of each, and one without a transition, which is forgotten, becomes a tombstone.
 */
final class AlertSerializer implements KafkaRecordSerializationSchema<Alert> {
  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Alert alert, KafkaSinkContext context, Long timestamp) {
    byte[] key = alert.getFingerprint().getBytes(StandardCharsets.UTF_8);
    return new ProducerRecord<>(
        Topics.ALERTS, key, isForgotten(alert) ? null : alert.toByteArray());
  }

  private static boolean isForgotten(Alert alert) {
    return alert.getTransition() == AlertTransition.ALERT_TRANSITION_UNSPECIFIED;
  }
}
