package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.connectors.Rejects;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rejects.v1.Stage;
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
 * Kafka records to Events. A record that is none becomes an Event with a reject as its body, which
 * the job sends to table {@code rejects}: nothing stops, nothing is lost, and the counter {@link
 * #UNDECODABLE_RECORDS_TOTAL} tells.
 */
public final class EventDeserializer implements KafkaRecordDeserializationSchema<Event> {
  /** Counter: records that are not their topic's message. */
  public static final String UNDECODABLE_RECORDS_TOTAL = "undecodable_records_total";

  private static final Logger LOG = LoggerFactory.getLogger(EventDeserializer.class);

  private final Stage stage;
  private transient Counter undecodableRecords;
  private transient boolean isLogged;

  /**
   * Deserializer for a job.
   *
   * @param stage that stands in the rejects it makes
   */
  public EventDeserializer(Stage stage) {
    this.stage = stage;
  }

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
        out.collect(
            reject(record, value, "the event has no body that this build knows: update the jobs"));
      } else {
        out.collect(event);
      }
    } catch (InvalidProtocolBufferException e) {
      out.collect(reject(record, value, "no tocsin.events.v1.Event: " + e.getMessage()));
    }
  }

  private Event reject(ConsumerRecord<byte[], byte[]> record, byte[] value, String detail) {
    String place = record.topic() + "-" + record.partition() + "-" + record.offset();
    undecodableRecords.inc();
    if (!isLogged) {
      LOG.warn(
          "record {} goes to tocsin.rejects: {}; counted as {}, logged once",
          place,
          detail,
          UNDECODABLE_RECORDS_TOTAL);
      isLogged = true;
    }
    String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    return Rejects.undecodable(stage, place, record.timestamp(), key, value, detail);
  }

  @Override
  public TypeInformation<Event> getProducedType() {
    return ProtobufTypeInfo.forMessage(Event.class);
  }
}
