package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.model.ProtobufTypeInfo;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of {@code alerts-v1} to Alerts. Tombstones of the compacted topic are skipped. So is,
 * with a count and a line in the log, a record that is no Alert: Tocsin alone writes this topic,
 * and the archive keeps the bytes as a reject.
 */
public final class AlertDeserializer implements KafkaRecordDeserializationSchema<Alert> {
  private static final Logger LOG = LoggerFactory.getLogger(AlertDeserializer.class);

  private transient Counter undecodableRecords;

  @Override
  public void open(InitializationContext context) {
    undecodableRecords =
        context.getMetricGroup().counter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Alert> out) {
    if (record.value() == null) {
      return;
    }
    try {
      out.collect(Alert.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      undecodableRecords.inc();
      LOG.error(
          "record {}-{}-{} is no tocsin.alerts.v1.Alert and is skipped: find out who else writes to the topic",
          record.topic(),
          record.partition(),
          record.offset(),
          e);
    }
  }

  @Override
  public TypeInformation<Alert> getProducedType() {
    return ProtobufTypeInfo.forMessage(Alert.class);
  }
}
