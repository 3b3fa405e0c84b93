package io.tocsin.integration;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Takes what comes to a topic from now on, and when it came. For one thread. */
final class TopicFollower implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Taker taker;

  /** Takes a record with a value, and when it was read. */
  interface Taker {
    void take(ConsumerRecord<byte[], byte[]> record, Instant read) throws IOException;
  }

  TopicFollower(String bootstrapServers, String topic, Taker taker) {
    this.taker = taker;
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class));
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
  }

  /** Waits up to 100 ms for records. */
  void poll() throws IOException {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
      if (record.value() != null) {
        taker.take(record, Instant.now());
      }
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
