package io.tocsin.connectors.kafka;

import io.tocsin.registrations.v1.LeaseLatency;
import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Answers of DHCP servers to records of {@code lease-latencies-v1}; the key is the MAC. */
final class LeaseLatencySerializer implements KafkaRecordSerializationSchema<LeaseLatency> {
  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      LeaseLatency answer, KafkaSinkContext context, Long timestamp) {
    byte[] key = answer.getMac().getBytes(StandardCharsets.UTF_8);
    return new ProducerRecord<>(Topics.LEASE_LATENCIES, key, answer.toByteArray());
  }
}
