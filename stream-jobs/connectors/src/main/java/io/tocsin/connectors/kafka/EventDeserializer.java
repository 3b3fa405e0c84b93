package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.connectors.Rejects;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
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
 * Kafka records to Events. A record that is none stops nothing: the counter {@link
 * #UNDECODABLE_RECORDS_TOTAL} tells in every job, and {@link Undecodable} says what comes of it.
 */
public final class EventDeserializer implements KafkaRecordDeserializationSchema<Event> {
  /** Counter: records that are not their topic's message. */
  public static final String UNDECODABLE_RECORDS_TOTAL = "undecodable_records_total";

  private static final Logger LOG = LoggerFactory.getLogger(EventDeserializer.class);

  /** What comes of a record that is no Event. */
  public enum Undecodable {
    /** It comes out as an Event with a reject as its body: for the archive, which keeps all. */
    REJECT,
    /** Nothing comes out: for jobs beside the archive, or its bytes would be stored twice. */
    SKIP
  }

  private final Undecodable undecodable;
  private transient Counter undecodableRecords;
  private transient boolean isLogged;

  /**
   * Deserializer for a job.
   *
   * @param undecodable what comes of a record that is no Event
   */
  public EventDeserializer(Undecodable undecodable) {
    this.undecodable = undecodable;
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
        onUndecodable(
            record, value, "the event has no body that this build knows: update the jobs", out);
      } else {
        out.collect(event);
      }
    } catch (InvalidProtocolBufferException e) {
      onUndecodable(record, value, "no tocsin.events.v1.Event: " + e.getMessage(), out);
    }
  }

  private void onUndecodable(
      ConsumerRecord<byte[], byte[]> record, byte[] value, String detail, Collector<Event> out) {
    String place = record.topic() + "-" + record.partition() + "-" + record.offset();
    undecodableRecords.inc();
    if (!isLogged) {
      LOG.warn(
          "record {} cannot be used, the archive job keeps it in tocsin.rejects: {}; counted as {},"
              + " logged once",
          place,
          detail,
          UNDECODABLE_RECORDS_TOTAL);
      isLogged = true;
    }
    if (undecodable == Undecodable.REJECT) {
      String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
      out.collect(Rejects.undecodable(place, record.timestamp(), key, value, detail));
    }
  }

  @Override
  public TypeInformation<Event> getProducedType() {
    return ProtobufTypeInfo.forMessage(Event.class);
  }
}
