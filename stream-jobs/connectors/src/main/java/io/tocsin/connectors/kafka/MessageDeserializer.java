package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tocsin.model.ProtobufTypeInfo;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records of a topic to its message. What is none is counted, logged and skipped. */
abstract class MessageDeserializer<T extends Message>
    implements KafkaRecordDeserializationSchema<T> {
  private static final Logger LOG = LoggerFactory.getLogger(MessageDeserializer.class);

  private final Class<T> type;
  private final String remedy;

  private transient Counter undecodableRecords;

  /**
   * @param type of the message
   * @param remedy what to do about a record that is none, for the log
   */
  MessageDeserializer(Class<T> type, String remedy) {
    this.type = type;
    this.remedy = remedy;
  }

  @Override
  public final void open(InitializationContext context) {
    undecodableRecords =
        context.getMetricGroup().counter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL);
  }

  @Override
  public final void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out) {
    try {
      read(record, out);
    } catch (InvalidProtocolBufferException e) {
      undecodableRecords.inc();
      LOG.error(
          "record {}-{}-{} is no {} and is skipped: {}",
          record.topic(),
          record.partition(),
          record.offset(),
          type.getName(),
          remedy,
          e);
    }
  }

  /**
   * Gives what the record says.
   *
   * @throws InvalidProtocolBufferException when it is no message of this topic
   */
  abstract void read(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
      throws InvalidProtocolBufferException;

  @Override
  public final TypeInformation<T> getProducedType() {
    return ProtobufTypeInfo.forMessage(type);
  }
}
