package io.tocsin.rules.history;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.model.BrokerTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A span of time of the topics, by the brokers' times. Each partition is read ahead by some
 * thousand records, and of what stands first in them the earliest is handed on.
 */
public final class KafkaHistory implements History {
  private static final String ACKNOWLEDGEMENTS = "acknowledgements-v1";
  private static final List<String> TOPICS =
      List.of(
          "events-alert-v1",
          "events-syslog-v1",
          "events-snmp-v1",
          "events-counters-v1",
          "events-dhcp-v1",
          "events-probe-v1",
          ACKNOWLEDGEMENTS);
  private static final int READ_AHEAD = 5_000;
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConnection connection;
  private final Duration deadline;
  private long undecodable;

  /**
   * The topics of one cluster.
   *
   * @param deadline how long the brokers may be silent
   */
  public KafkaHistory(KafkaConnection connection, Duration deadline) {
    this.connection = connection;
    this.deadline = deadline;
  }

  private record Item(long atUnixNanos, long takenAtUnixMillis, Event event, Acknowledgement said) {
    void handTo(Taker taker, FirstOfGroups firstOfGroups) {
      if (event == null) {
        taker.said(said);
      } else if (firstOfGroups.has(event, takenAtUnixMillis)) {
        taker.event(event);
      }
    }
  }

  @Override
  public void play(long fromUnixNanos, long toUnixNanos, Taker taker) {
    try (Consumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> partitions =
          TOPICS.stream()
              .flatMap(topic -> consumer.partitionsFor(topic).stream())
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends =
          offsetsAt(consumer, partitions, toUnixNanos / Nanos.PER_MILLI);
      offsetsAt(consumer, partitions, fromUnixNanos / Nanos.PER_MILLI)
          .forEach((partition, offset) -> consumer.seek(partition, offset));
      merge(consumer, ends, taker);
    }
  }

  private Consumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(
        connection.client(
            Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                "tocsin-rules",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) deadline.toMillis())),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** The first record that is not before a time, or the end. */
  private static Map<TopicPartition, Long> offsetsAt(
      Consumer<byte[], byte[]> consumer, List<TopicPartition> partitions, long millis) {
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(partition -> times.put(partition, Math.max(0, millis)));
    Map<TopicPartition, Long> offsets = consumer.endOffsets(partitions);
    for (Map.Entry<TopicPartition, OffsetAndTimestamp> found :
        consumer.offsetsForTimes(times).entrySet()) {
      if (found.getValue() != null) {
        offsets.put(found.getKey(), found.getValue().offset());
      }
    }
    return offsets;
  }

  private void merge(
      Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Taker taker) {
    Map<TopicPartition, Deque<Item>> ahead = new HashMap<>();
    ends.keySet().forEach(partition -> ahead.put(partition, new ArrayDeque<>()));
    FirstOfGroups firstOfGroups = new FirstOfGroups();
    long heardNanos = System.nanoTime();
    while (true) {
      boolean isWaiting =
          ahead.entrySet().stream()
              .anyMatch(
                  entry -> entry.getValue().isEmpty() && hasMore(consumer, entry.getKey(), ends));
      if (!isWaiting) {
        Deque<Item> earliest =
            ahead.values().stream()
                .filter(items -> !items.isEmpty())
                .min(Comparator.comparingLong(items -> items.peek().atUnixNanos()))
                .orElse(null);
        if (earliest == null) {
          return;
        }
        earliest.poll().handTo(taker, firstOfGroups);
        heardNanos = System.nanoTime();
        continue;
      }
      if (System.nanoTime() - heardNanos > deadline.toNanos()) {
        throw new KafkaException("no record came for " + deadline.toSeconds() + " s");
      }
      if (read(consumer, ends, ahead)) {
        heardNanos = System.nanoTime();
      }
    }
  }

  private static boolean hasMore(
      Consumer<byte[], byte[]> consumer, TopicPartition partition, Map<TopicPartition, Long> ends) {
    return consumer.position(partition) < ends.get(partition);
  }

  private boolean read(
      Consumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> ends,
      Map<TopicPartition, Deque<Item>> ahead) {
    ahead.forEach(
        (partition, items) -> {
          if (items.size() >= READ_AHEAD || !hasMore(consumer, partition, ends)) {
            consumer.pause(List.of(partition));
          } else {
            consumer.resume(List.of(partition));
          }
        });
    boolean hasRead = false;
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      TopicPartition partition = new TopicPartition(record.topic(), record.partition());
      if (record.value() != null && record.offset() < ends.get(partition)) {
        add(record, ahead.get(partition));
      }
      hasRead = true;
    }
    return hasRead;
  }

  private void add(ConsumerRecord<byte[], byte[]> record, Deque<Item> items) {
    try {
      if (record.topic().equals(ACKNOWLEDGEMENTS)) {
        // The last nanosecond of the millisecond, as the job has it.
        long at = Nanos.ofMillis(record.timestamp() + 1) - 1;
        Acknowledgement said =
            Acknowledgement.parseFrom(record.value()).toBuilder().setSaidAtUnixNanos(at).build();
        items.add(new Item(at, record.timestamp(), null, said));
      } else {
        Event event = Event.parseFrom(record.value());
        Event timed =
            record.timestampType() == TimestampType.LOG_APPEND_TIME
                ? BrokerTime.set(event, record.timestamp())
                : event;
        items.add(new Item(timed.getReceivedAtUnixNanos(), record.timestamp(), timed, null));
      }
    } catch (InvalidProtocolBufferException e) {
      undecodable++;
    }
  }

  @Override
  public List<String> unknowns() {
    String beyond = "what the topics' retention has removed is not there";
    return undecodable == 0
        ? List.of(beyond)
        : List.of(beyond, undecodable + " records are no events, and are left out");
  }
}
