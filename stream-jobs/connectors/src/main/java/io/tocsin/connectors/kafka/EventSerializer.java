package io.tocsin.connectors.kafka;

import io.tocsin.events.v1.Event;
import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Events that a job makes to records of one topic; the key is the device. */
final class EventSerializer implements KafkaRecordSerializationSchema<Event> {
  private final String topic;

  EventSerializer(String topic) {
    this.topic = topic;
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Event event, KafkaSinkContext context, Long timestamp) {
    byte[] key = event.getDevice().getBytes(StandardCharsets.UTF_8);
    return new ProducerRecord<>(topic, key, event.toByteArray());
  }
}
