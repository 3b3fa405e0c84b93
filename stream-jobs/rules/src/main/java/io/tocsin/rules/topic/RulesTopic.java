package io.tocsin.rules.topic;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.rules.v1.RuleDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads topic {@code rules-v1} from its beginning to where it ends now. */
public final class RulesTopic {
  /** Name of the topic, as in schemas/topics. */
  public static final String NAME = "rules-v1";

  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConnection connection;
  private final Duration deadline;

  /**
   * What the topic holds.
   *
   * @param documents newest document of each name
   * @param undecodable names whose newest record is no RuleDocument
   * @param endOffset offset of the next record to come
   */
  public record Contents(
      Map<String, RuleDocument> documents, Set<String> undecodable, long endOffset) {}

  /**
   * The topic of one cluster.
   *
   * @param connection how it is reached
   * @param deadline how long reading may take
   */
  public RulesTopic(KafkaConnection connection, Duration deadline) {
    this.connection = connection;
    this.deadline = deadline;
  }

  /**
   * Reads it.
   *
   * @throws KafkaException where the brokers do not answer in time, or the topic is not there, or
   *     not as schemas/topics says
   */
  public Contents read() {
    Map<String, Object> settings =
        connection.client(
            Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                "tocsin-rules",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) deadline.toMillis()));
    try (var consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      requireOnePartition(consumer.partitionsFor(NAME));
      TopicPartition partition = new TopicPartition(NAME, 0);
      List<TopicPartition> partitions = List.of(partition);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long end = consumer.endOffsets(partitions).get(partition);
      return read(consumer, partition, end);
    }
  }

  /** Order of the documents is order in one partition. */
  private static void requireOnePartition(List<PartitionInfo> partitions) {
    int count = partitions == null ? 0 : partitions.size();
    if (count == 0) {
      throw new KafkaException("topic " + NAME + " does not exist: run `tocsin schema apply`");
    }
    if (count > 1) {
      throw new KafkaException(
          "topic "
              + NAME
              + " has "
              + count
              + " partitions, and rules need the order of one: delete it and run `tocsin schema apply`");
    }
  }

  private Contents read(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long end) {
    Contents contents = new Contents(new TreeMap<>(), new TreeSet<>(), end);
    long startedNanos = System.nanoTime();
    while (consumer.position(partition) < end) {
      if (System.nanoTime() - startedNanos > deadline.toNanos()) {
        throw new KafkaException(
            "topic " + NAME + " could not be read to offset " + end + " within " + deadline);
      }
      consumer.poll(POLL).records(partition).forEach(record -> add(contents, record));
    }
    return contents;
  }

  private static void add(Contents contents, ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null || record.offset() >= contents.endOffset) {
      return;
    }
    String name = new String(record.key(), StandardCharsets.UTF_8);
    contents.documents.remove(name);
    contents.undecodable.remove(name);
    if (record.value() == null) {
      return;
    }
    try {
      contents.documents.put(
          name,
          RuleDocument.parseFrom(record.value()).toBuilder()
              .setTopicOffset(record.offset())
              .build());
    } catch (InvalidProtocolBufferException e) {
      contents.undecodable.add(name);
    }
  }
}
