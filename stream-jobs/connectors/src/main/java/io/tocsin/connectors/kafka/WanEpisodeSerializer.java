package io.tocsin.connectors.kafka;

import io.tocsin.wan.v1.WanEpisode;
import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Episodes to records of {@code wan-episodes-v1}; the key is the link. */
final class WanEpisodeSerializer implements KafkaRecordSerializationSchema<WanEpisode> {
  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      WanEpisode episode, KafkaSinkContext context, Long timestamp) {
    byte[] key = episode.getLinkId().getBytes(StandardCharsets.UTF_8);
    return new ProducerRecord<>(Topics.WAN_EPISODES, key, episode.toByteArray());
  }
}
