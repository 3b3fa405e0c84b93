package io.tocsin.rules.topic;

import io.tocsin.kafka.KafkaConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a compacted topic from its beginning to where it ends now.
 *
 * @param connection how it is reached
 * @param deadline how long reading may take
 */
record TopicReader(KafkaConnection connection, Duration deadline) {
  private static final Duration POLL = Duration.ofMillis(200);

  /** Where the offset to go on at is gone, the topic is another one: that is an error. */
  Consumer<byte[], byte[]> consumer() {
    Map<String, Object> settings =
        connection.client(
            Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                "tocsin-rules",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) deadline.toMillis()));
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Hands on every record that is there now, in order for each partition.
   *
   * @return the offset of the next record to come, for each partition
   * @throws KafkaException where that takes too long
   */
  Map<TopicPartition, Long> readAll(
      Consumer<byte[], byte[]> consumer,
      List<TopicPartition> partitions,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    long startedNanos = System.nanoTime();
    while (partitions.stream()
        .anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
      if (System.nanoTime() - startedNanos > deadline.toNanos()) {
        throw new KafkaException(
            "topic " + partitions.get(0).topic() + " could not be read whole within " + deadline);
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        if (record.offset() < ends.get(new TopicPartition(record.topic(), record.partition()))) {
          each.accept(record);
        }
      }
    }
    return ends;
  }
}
