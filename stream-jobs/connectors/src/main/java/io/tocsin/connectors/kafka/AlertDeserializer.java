package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of {@code alerts-v1} to Alerts. Tombstones of the compacted topic are skipped. Tocsin
 * alone writes this topic, and the archive keeps as a reject the bytes of what is no Alert.
 */
public final class AlertDeserializer extends MessageDeserializer<Alert> {
  /** For the source of the topic. */
  public AlertDeserializer() {
    super(Alert.class, "find out who else writes to the topic");
  }

  @Override
  void read(ConsumerRecord<byte[], byte[]> record, Collector<Alert> out)
      throws InvalidProtocolBufferException {
    if (record.value() != null) {
      out.collect(Alert.parseFrom(record.value()));
    }
  }
}
