package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.events.v1.Event;
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
 * Kafka records to Events. One that is none is skipped with a count and a line in the log: the
 * archive, which reads every topic, keeps its bytes as a reject.
 */
public final class EventDeserializer implements KafkaRecordDeserializationSchema<Event> {
  /** Counter: records that are not their topic's message. */
  public static final String UNDECODABLE_RECORDS_TOTAL = "undecodable_records_total";

  private static final Logger LOG = LoggerFactory.getLogger(EventDeserializer.class);

  private transient Counter undecodableRecords;
  private transient boolean isLogged;

  @Override
  public void open(InitializationContext context) {
    undecodableRecords = context.getMetricGroup().counter(UNDECODABLE_RECORDS_TOTAL);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Event> out) {
    byte[] value = record.value() == null ? new byte[0] : record.value();
    try {
      Event event = Event.parseFrom(value);
      if (event.getBodyCase() == Event.BodyCase.BODY_NOT_SET) {
        skip(record, "the event has no body that this build knows: update the jobs");
      } else {
        out.collect(event);
      }
    } catch (InvalidProtocolBufferException e) {
      skip(record, "no tocsin.events.v1.Event: " + e.getMessage());
    }
  }

  private void skip(ConsumerRecord<byte[], byte[]> record, String detail) {
    undecodableRecords.inc();
    if (!isLogged) {
      LOG.warn(
          "record {}-{}-{} cannot be used, the archive job keeps it in tocsin.rejects: {}; counted"
              + " as {}, logged once",
          record.topic(),
          record.partition(),
          record.offset(),
          detail,
          UNDECODABLE_RECORDS_TOTAL);
      isLogged = true;
    }
  }

  @Override
  public TypeInformation<Event> getProducedType() {
    return ProtobufTypeInfo.forMessage(Event.class);
  }
}
