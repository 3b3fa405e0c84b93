package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.rules.v1.RuleDocument;
import java.nio.charset.StandardCharsets;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of {@code rules-v1} to RuleDocuments. A tombstone becomes a document with a name and
 * without YAML: it is withdrawn. What a skipped record would have replaced stays in force.
 */
public final class RuleDocumentDeserializer extends MessageDeserializer<RuleDocument> {
  /** For the source of the topic. */
  public RuleDocumentDeserializer() {
    super(RuleDocument.class, "push its rule again");
  }

  @Override
  void read(ConsumerRecord<byte[], byte[]> record, Collector<RuleDocument> out)
      throws InvalidProtocolBufferException {
    RuleDocument.Builder document =
        record.value() == null
            ? RuleDocument.newBuilder().setName(new String(record.key(), StandardCharsets.UTF_8))
            : RuleDocument.parseFrom(record.value()).toBuilder();
    out.collect(document.setTopicOffset(record.offset()).build());
  }
}
