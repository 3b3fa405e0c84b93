package io.tocsin.connectors.kafka;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records as they are. Tombstones of compacted topics are skipped: they say that a key is
 * forgotten, which no history is told.
 */
final class TopicRecordDeserializer implements KafkaRecordDeserializationSchema<TopicRecord> {
  private static final byte[] EMPTY = {};

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<TopicRecord> out) {
    if (record.value() == null && Topics.COMPACTED.contains(record.topic())) {
      return;
    }
    out.collect(
        new TopicRecord(
            record.topic(),
            record.partition(),
            record.offset(),
            record.timestamp(),
            record.key() == null ? EMPTY : record.key(),
            record.value() == null ? EMPTY : record.value()));
  }

  @Override
  public TypeInformation<TopicRecord> getProducedType() {
    return TypeInformation.of(TopicRecord.class);
  }
}
