package io.tocsin.jobs.recovery;

import io.tocsin.connectors.kafka.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** One story's part of a shared Kafka: what it sends, and what the jobs say from its begin on. */
final class TopicWords implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final List<String> TOLD =
      List.of(Topics.ALERTS, Topics.REGISTRATIONS, Topics.WAN_EPISODES);

  private final String bootstrapServers;
  private final KafkaProducer<String, byte[]> producer;
  private final KafkaConsumer<String, byte[]> consumer;
  private final Map<String, Map<String, List<byte[]>>> words = new HashMap<>();

  TopicWords(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
    producer =
        new KafkaProducer<>(
            Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers),
            new StringSerializer(),
            new ByteArraySerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers),
            new StringDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions = TOLD.stream().flatMap(this::partitionsOf).toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
    TOLD.forEach(topic -> words.put(topic, new LinkedHashMap<>()));
  }

  private Stream<TopicPartition> partitionsOf(String topic) {
    return consumer.partitionsFor(topic).stream()
        .map(partition -> new TopicPartition(topic, partition.partition()));
  }

  /** What earlier stories sent is nothing to the jobs of this one. */
  void startAtTheEnd(Set<String> groups, List<String> topics) throws Exception {
    List<TopicPartition> partitions = topics.stream().flatMap(this::partitionsOf).toList();
    Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
    consumer
        .endOffsets(partitions)
        .forEach((partition, end) -> ends.put(partition, new OffsetAndMetadata(end)));
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
      for (String group : groups) {
        admin.alterConsumerGroupOffsets(group, ends).all().get();
      }
    }
  }

  void send(String topic, String key, byte[] value) {
    producer.send(new ProducerRecord<>(topic, key, value));
  }

  void sendToEachPartition(String topic, byte[] value) {
    for (PartitionInfo partition : producer.partitionsFor(topic)) {
      producer.send(new ProducerRecord<>(topic, partition.partition(), null, value));
    }
  }

  void flush() {
    producer.flush();
  }

  /** What was said of each key of a topic, in order; null where a key is forgotten. */
  Map<String, List<byte[]>> of(String topic) {
    boolean isAtTheEnd = false;
    while (!isAtTheEnd) {
      isAtTheEnd = true;
      for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
        isAtTheEnd = false;
        words
            .get(record.topic())
            .computeIfAbsent(record.key(), key -> new ArrayList<>())
            .add(record.value());
      }
    }
    return words.get(topic);
  }

  @Override
  public void close() {
    producer.close();
    consumer.close();
  }
}
