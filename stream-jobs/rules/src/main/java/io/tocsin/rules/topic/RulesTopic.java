package io.tocsin.rules.topic;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.correlation.Nanos;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.rules.v1.RuleDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topic {@code rules-v1}: read from its beginning to where it ends now, and written. */
public final class RulesTopic {
  /** Name of the topic, as in schemas/topics. */
  public static final String NAME = "rules-v1";

  private static final TopicPartition PARTITION = new TopicPartition(NAME, 0);

  private final KafkaConnection connection;
  private final Duration deadline;
  private final TopicReader reader;

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
    reader = new TopicReader(connection, deadline);
  }

  /** A document as the topic has it. */
  public static RuleDocument document(String name, String yaml, String origin, Instant pushedAt) {
    return RuleDocument.newBuilder()
        .setName(name)
        .setYaml(yaml)
        .setOrigin(origin)
        .setPushedAtUnixNanos(Nanos.of(pushedAt))
        .build();
  }

  /**
   * Reads it.
   *
   * @throws KafkaException where the brokers do not answer in time, or the topic is not there, or
   *     not as schemas/topics says
   */
  public Contents read() {
    Map<String, RuleDocument> documents = new TreeMap<>();
    Set<String> undecodable = new TreeSet<>();
    try (Consumer<byte[], byte[]> consumer = reader.consumer()) {
      requireOnePartition(consumer.partitionsFor(NAME));
      long end =
          reader
              .readAll(consumer, List.of(PARTITION), record -> add(documents, undecodable, record))
              .get(PARTITION);
      return new Contents(documents, undecodable, end);
    }
  }

  /** Reads on from an offset. */
  public Follower follow(long offset) {
    return new Follower(reader.consumer(), offset);
  }

  /** What is pushed after the topic was read. One thread uses it. */
  public static final class Follower implements AutoCloseable {
    private final Consumer<byte[], byte[]> consumer;

    Follower(Consumer<byte[], byte[]> consumer, long offset) {
      this.consumer = consumer;
      consumer.assign(List.of(PARTITION));
      consumer.seek(PARTITION, offset);
    }

    /**
     * What has come, in order; a document without text for one that is withdrawn. It does not wait:
     * while Kafka is away nothing comes.
     *
     * @throws KafkaException where the topic is not the one that was read, or may not be read
     */
    public List<RuleDocument> poll() {
      List<RuleDocument> documents = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ZERO)) {
        if (record.key() != null) {
          documentOf(record).ifPresent(documents::add);
        }
      }
      return documents;
    }

    private static Optional<RuleDocument> documentOf(ConsumerRecord<byte[], byte[]> record) {
      try {
        return Optional.of(decoded(record));
      } catch (InvalidProtocolBufferException e) {
        // What it would replace stays in force; the job's source of documents counts and tells it.
        return Optional.empty();
      }
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  /**
   * Puts documents in force and takes others out of it.
   *
   * @throws KafkaException where not all was taken within the deadline
   */
  public void publish(Collection<RuleDocument> changed, Collection<String> removed) {
    Map<String, Object> settings =
        connection.client(
            Map.of(
                ProducerConfig.CLIENT_ID_CONFIG,
                "tocsin-rules",
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                deadline.toMillis(),
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                (int) deadline.toMillis(),
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                (int) deadline.toMillis() / 3));
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      changed.forEach(
          document -> sent.add(producer.send(keyed(document.getName(), document.toByteArray()))));
      removed.forEach(name -> sent.add(producer.send(keyed(name, null))));
      for (Future<?> each : sent) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new KafkaException(
          "a document was not taken: " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted before every document was taken", e);
    }
  }

  private static ProducerRecord<byte[], byte[]> keyed(String name, byte[] value) {
    return new ProducerRecord<>(NAME, name.getBytes(StandardCharsets.UTF_8), value);
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

  private static void add(
      Map<String, RuleDocument> documents,
      Set<String> undecodable,
      ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null) {
      return;
    }
    String name = new String(record.key(), StandardCharsets.UTF_8);
    documents.remove(name);
    undecodable.remove(name);
    if (record.value() == null) {
      return;
    }
    try {
      documents.put(name, decoded(record));
    } catch (InvalidProtocolBufferException e) {
      undecodable.add(name);
    }
  }

  private static RuleDocument decoded(ConsumerRecord<byte[], byte[]> record)
      throws InvalidProtocolBufferException {
    RuleDocument document =
        record.value() == null
            ? RuleDocument.newBuilder()
                .setName(new String(record.key(), StandardCharsets.UTF_8))
                .build()
            : RuleDocument.parseFrom(record.value());
    return document.toBuilder().setTopicOffset(record.offset()).build();
  }
}
