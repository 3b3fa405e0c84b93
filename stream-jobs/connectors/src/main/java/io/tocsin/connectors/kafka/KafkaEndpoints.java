package io.tocsin.connectors.kafka;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.events.v1.Event;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.rules.v1.RuleDocument;
import io.tocsin.wan.v1.WanEpisode;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Kafka's ends of the jobs.
 *
 * <p>Offsets live in Flink's checkpoints, which decide where a restored job goes on. They are also
 * committed to Kafka, for people who watch the lag, and for a job that starts without state.
 */
public final class KafkaEndpoints {
  private static final int FETCH_BYTES = 1 << 20;

  /**
   * How long the broker may keep a fetch while there is nothing: the first record ends the wait. A
   * dozen readers of quiet topics would else ask twice a second each, for ever. Not longer, because
   * a reader that is cancelled waits for its last answer, and so does the restart of its job.
   */
  private static final Duration QUIET_FETCH_WAIT = Duration.ofSeconds(1);

  /** How long a record may wait for others of its request, where somebody waits for it. */
  private static final Duration LINGER = Duration.ofMillis(5);

  /** The same where only the archive reads, which fetches four times a second. */
  private static final Duration ARCHIVED_LINGER = Duration.ofMillis(100);

  /** Of a fetch that waited: each hand-over to the task costs as much as some hundred records. */
  private static final int RECORDS_A_POLL = 5_000;

  private final KafkaConnection connection;
  private final Duration fetchWait;

  /**
   * Ends at one cluster.
   *
   * @param connection how it is reached
   * @param fetchWait how long the broker may wait for a megabyte of events; zero for not at all
   */
  public KafkaEndpoints(KafkaConnection connection, Duration fetchWait) {
    this.connection = connection;
    this.fetchWait = fetchWait;
  }

  /**
   * Events of some topics. Without state it starts at the offsets that the group committed, else at
   * the earliest.
   *
   * @param groupId consumer group, one a job
   */
  public Source<Event, ?, ?> events(String groupId, List<String> topics) {
    return fromCommitted(groupId, topics, new EventDeserializer());
  }

  /**
   * The records of every topic that is archived, as they are. Without state it starts at the
   * offsets that the group committed, else at the earliest.
   */
  public Source<TopicRecord, ?, ?> archived(String groupId) {
    return fromCommitted(groupId, Topics.ARCHIVED, new TopicRecordDeserializer());
  }

  @SuppressWarnings(
      "deprecation") // The connector's own parameter type, which kafka-clients will replace in 5.0.
  private <T> Source<T, ?, ?> fromCommitted(
      String groupId, List<String> topics, KafkaRecordDeserializationSchema<T> deserializer) {
    KafkaSourceBuilder<T> records =
        source(groupId, topics, deserializer)
            .setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST));
    if (!fetchWait.isZero()) {
      records
          .setProperty(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, Integer.toString(FETCH_BYTES))
          .setProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(RECORDS_A_POLL))
          .setProperty(
              ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(fetchWait.toMillis()));
    }
    return records.build();
  }

  /**
   * All alerts as they stand, then their transitions. Without state it starts at the earliest
   * offset whatever was committed: the topic is compacted, and who has no state needs the present
   * state of every alert.
   */
  public Source<Alert, ?, ?> alerts(String groupId) {
    return source(groupId, List.of(Topics.ALERTS), new AlertDeserializer())
        .setStartingOffsets(OffsetsInitializer.earliest())
        .build();
  }

  /**
   * What the group's job tells of alerts, read back. Where it starts without state {@link
   * OwnWordsOffsets} says.
   */
  public Source<Alert, ?, ?> ownAlerts(String groupId) {
    return source(groupId, List.of(Topics.ALERTS), new AlertDeserializer())
        .setStartingOffsets(new OwnWordsOffsets())
        .build();
  }

  /**
   * What people say of alerts. Without state it starts at the offsets that the group committed,
   * else at the earliest.
   */
  public Source<Acknowledgement, ?, ?> acknowledgements(String groupId) {
    return fromCommitted(
        groupId, List.of(Topics.ACKNOWLEDGEMENTS), new AcknowledgementDeserializer());
  }

  /**
   * All registered devices, then the changes of the register. Without state it starts at the
   * earliest offset whatever was committed: the topic is compacted.
   */
  public Source<Device, ?, ?> devices(String groupId) {
    return source(groupId, List.of(Topics.DEVICES), new DeviceDeserializer())
        .setStartingOffsets(OffsetsInitializer.earliest())
        .build();
  }

  /**
   * All documents in force, then their changes. Without state it starts at the earliest offset: the
   * topic is compacted.
   */
  public Source<RuleDocument, ?, ?> ruleDocuments(String groupId) {
    return source(groupId, List.of(Topics.RULES), new RuleDocumentDeserializer())
        .setStartingOffsets(OffsetsInitializer.earliest())
        .build();
  }

  /**
   * Transitions to {@code alerts-v1}, at least once: a page must not wait for a checkpoint. After a
   * failure what was told since the last checkpoint is told again, and may be told differently: the
   * last word of the topic wins.
   */
  public Sink<Alert> alertTransitions() {
    return sink(new AlertSerializer(), LINGER);
  }

  /** Transitions to {@code registrations-v1}, at least once and at once, as those of alerts. */
  public Sink<Registration> registrations() {
    return sink(new RegistrationSerializer(), LINGER);
  }

  /**
   * What a job found, as alert updates to {@code events-alert-v1}, at least once: a repeat carries
   * the same event id.
   */
  public Sink<Event> findings() {
    return sink(new EventSerializer(Topics.EVENTS_ALERT), LINGER);
  }

  /** Answers of DHCP servers to {@code lease-latencies-v1}, at least once. */
  public Sink<LeaseLatency> leaseLatencies() {
    return sink(new LeaseLatencySerializer(), ARCHIVED_LINGER);
  }

  /** Transitions to {@code wan-episodes-v1}, at least once and at once, as those of alerts. */
  public Sink<WanEpisode> wanEpisodes() {
    return sink(new WanEpisodeSerializer(), LINGER);
  }

  private <T> Sink<T> sink(KafkaRecordSerializationSchema<T> serializer, Duration linger) {
    return KafkaSink.<T>builder()
        .setKafkaProducerConfig(connection.properties())
        .setBootstrapServers(connection.bootstrapServers())
        .setRecordSerializer(serializer)
        .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .setProperty(ProducerConfig.ACKS_CONFIG, "all")
        .setProperty(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true")
        .setProperty(ProducerConfig.LINGER_MS_CONFIG, Long.toString(linger.toMillis()))
        .setProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4")
        .build();
  }

  private <T> KafkaSourceBuilder<T> source(
      String groupId, List<String> topics, KafkaRecordDeserializationSchema<T> deserializer) {
    return KafkaSource.<T>builder()
        .setProperties(connection.properties())
        .setBootstrapServers(connection.bootstrapServers())
        .setTopics(topics)
        .setGroupId(groupId)
        .setClientIdPrefix(groupId)
        .setDeserializer(deserializer)
        .setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")
        .setProperty(
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(QUIET_FETCH_WAIT.toMillis()));
  }
}
