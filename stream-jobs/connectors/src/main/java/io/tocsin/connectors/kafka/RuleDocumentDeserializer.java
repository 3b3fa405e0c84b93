package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.v1.RuleDocument;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of {@code rules-v1} to RuleDocuments. A tombstone becomes a document with a name and
 * without YAML: it is withdrawn. A record that is no RuleDocument is skipped, with a count and a
 * line in the log: the document that it would have replaced stays in force.
 */
public final class RuleDocumentDeserializer
    implements KafkaRecordDeserializationSchema<RuleDocument> {
  private static final Logger LOG = LoggerFactory.getLogger(RuleDocumentDeserializer.class);

  private transient Counter undecodableRecords;

  @Override
  public void open(InitializationContext context) {
    undecodableRecords =
        context.getMetricGroup().counter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<RuleDocument> out) {
    if (record.value() == null) {
      String name = new String(record.key(), StandardCharsets.UTF_8);
      out.collect(RuleDocument.newBuilder().setName(name).setTopicOffset(record.offset()).build());
      return;
    }
    try {
      out.collect(
          RuleDocument.parseFrom(record.value()).toBuilder()
              .setTopicOffset(record.offset())
              .build());
    } catch (InvalidProtocolBufferException e) {
      undecodableRecords.inc();
      LOG.error(
          "record {}-{}-{} is no tocsin.rules.v1.RuleDocument and is skipped: push its rule again",
          record.topic(),
          record.partition(),
          record.offset(),
          e);
    }
  }

  @Override
  public TypeInformation<RuleDocument> getProducedType() {
    return ProtobufTypeInfo.forMessage(RuleDocument.class);
  }
}
