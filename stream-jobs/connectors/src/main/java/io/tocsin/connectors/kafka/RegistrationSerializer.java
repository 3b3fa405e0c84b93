package io.tocsin.connectors.kafka;

import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Registrations to records of {@code registrations-v1}: the key is the MAC, with "/6" after it for
 * IPv6, so compaction keeps the newest of each, and one without a state, whose client is forgotten,
 * becomes a tombstone.
 */
final class RegistrationSerializer implements KafkaRecordSerializationSchema<Registration> {
  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Registration registration, KafkaSinkContext context, Long timestamp) {
    String key =
        registration.getFamily() == 6 ? registration.getMac() + "/6" : registration.getMac();
    boolean isForgotten = registration.getState() == State.STATE_UNSPECIFIED;
    return new ProducerRecord<>(
        Topics.REGISTRATIONS,
        key.getBytes(StandardCharsets.UTF_8),
        isForgotten ? null : registration.toByteArray());
  }
}
