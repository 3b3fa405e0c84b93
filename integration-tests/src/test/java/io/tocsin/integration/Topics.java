package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads whole topics. What a topic holds is what Kafka acknowledged, so it is the truth that
 * ClickHouse is compared with.
 */
final class Topics {
  private final String bootstrapServers;

  /**
   * @param bootstrapServers host:port
   */
  Topics(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  /** Partition to the number of records that were written to it, by its end. */
  Map<Integer, Long> ends(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties())) {
      List<TopicPartition> partitions = partitions(consumer, topic);
      return consumer.endOffsets(partitions).entrySet().stream()
          .collect(Collectors.toMap(end -> end.getKey().partition(), Map.Entry::getValue));
    }
  }

  private Map<String, Object> properties() {
    return Map.of(
        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
        bootstrapServers,
        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
        ByteArrayDeserializer.class,
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
        ByteArrayDeserializer.class,
        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
        false,
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        "read_committed");
  }

  private static List<TopicPartition> partitions(KafkaConsumer<?, ?> consumer, String topic) {
    return consumer.partitionsFor(topic).stream()
        .map(info -> new TopicPartition(info.topic(), info.partition()))
        .toList();
  }

  /** Every event that the topic holds at the time of the call, in no order across partitions. */
  List<Event> read(String topic) {
    List<Event> events = new ArrayList<>();
    forEach(topic, Event.parser(), events::add);
    return events;
  }

  /**
   * Takes every message that the topic holds at the time of the call, in no order across
   * partitions. Tombstones are left out.
   *
   * @throws AssertionError for a record that is no such message, and when none comes for a minute
   */
  <T> void forEach(String topic, Parser<T> parser, java.util.function.Consumer<T> taker) {
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties())) {
      List<TopicPartition> partitions = partitions(consumer, topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long deadlineNanos = System.nanoTime() + DEADLINE.toNanos();
      while (!reached(consumer, ends)) {
        if (System.nanoTime() > deadlineNanos) {
          throw new AssertionError(
              "no record of %s for %s before its end at offsets %s"
                  .formatted(topic, DEADLINE, ends));
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (record.value() != null) {
            taker.accept(decode(record, parser));
          }
          deadlineNanos = System.nanoTime() + DEADLINE.toNanos();
        }
      }
    }
  }

  private static boolean reached(Consumer<?, ?> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  private static <T> T decode(ConsumerRecord<byte[], byte[]> record, Parser<T> parser) {
    try {
      return parser.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(
          "%s partition %d offset %d is not a message of its topic: %s"
              .formatted(record.topic(), record.partition(), record.offset(), e.getMessage()),
          e);
    }
  }
}
