package io.tocsin.rules.topic;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.model.Heartbeat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Topic {@code alerts-v1}, read for the alerts that are open now. */
public final class AlertsTopic {
  private static final String NAME = "alerts-v1";
  private static final Set<AlertState> ACTIVE =
      Set.of(
          AlertState.ALERT_STATE_OPEN,
          AlertState.ALERT_STATE_FLAPPING,
          AlertState.ALERT_STATE_SUPPRESSED);

  private final TopicReader reader;

  /**
   * The topic of one cluster.
   *
   * @param connection how it is reached
   * @param deadline how long reading may take
   */
  public AlertsTopic(KafkaConnection connection, Duration deadline) {
    reader = new TopicReader(connection, deadline);
  }

  /**
   * The open alerts that are wanted, suppressed ones too; only these are held in memory.
   *
   * @throws KafkaException where the brokers do not answer in time, or the topic is not there
   */
  public List<Alert> open(Predicate<Alert> wanted) {
    Map<String, Alert> open = new TreeMap<>();
    try (Consumer<byte[], byte[]> consumer = reader.consumer()) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(NAME).stream()
              .map(partition -> new TopicPartition(NAME, partition.partition()))
              .toList();
      if (partitions.isEmpty()) {
        throw new KafkaException("topic " + NAME + " does not exist: run `tocsin schema apply`");
      }
      reader.readAll(consumer, partitions, record -> add(open, record, wanted));
    }
    return List.copyOf(open.values());
  }

  private static void add(
      Map<String, Alert> open, ConsumerRecord<byte[], byte[]> record, Predicate<Alert> wanted) {
    String fingerprint = new String(record.key(), StandardCharsets.UTF_8);
    open.remove(fingerprint);
    if (record.value() == null) {
      return;
    }
    try {
      Alert alert = Alert.parseFrom(record.value());
      if (ACTIVE.contains(alert.getState()) && !Heartbeat.is(alert) && wanted.test(alert)) {
        open.put(fingerprint, alert);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new KafkaException("topic " + NAME + " holds what is no alert, of " + fingerprint, e);
    }
  }
}
