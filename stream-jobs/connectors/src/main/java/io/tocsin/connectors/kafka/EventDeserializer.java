package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.events.v1.Event;
import io.tocsin.model.BrokerTime;
import io.tocsin.model.ProtobufTypeInfo;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka records to Events. One that is none is skipped with a count and a line in the log: the
 * archive, which reads every topic, keeps its bytes as a reject.
 *
 * <p>The order of events and all timers go by received_at, the clock of an agent. Where that is
 * ahead of the broker's time of the record, which a topic with {@code timestamps: log_append} has,
 * the broker's is taken: along a partition both grow, so an agent's events keep their order. Rows
 * keep what the agent said, because the archive reads records as they are.
 */
public final class EventDeserializer implements KafkaRecordDeserializationSchema<Event> {
  /** Counter: records that are not their topic's message. */
  public static final String UNDECODABLE_RECORDS_TOTAL = "undecodable_records_total";

  /** Counter by agent: events that it says it received after the broker took them. */
  public static final String SET_BACK_EVENTS_TOTAL = "set_back_events_total";

  private static final Logger LOG = LoggerFactory.getLogger(EventDeserializer.class);

  private transient Counter undecodableRecords;
  private transient CounterByAgent setBack;
  private transient boolean isLogged;

  @Override
  public void open(InitializationContext context) {
    undecodableRecords = context.getMetricGroup().counter(UNDECODABLE_RECORDS_TOTAL);
    setBack = new CounterByAgent(context.getMetricGroup(), SET_BACK_EVENTS_TOTAL);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Event> out) {
    byte[] value = record.value() == null ? new byte[0] : record.value();
    try {
      Event event = Event.parseFrom(value);
      if (event.getBodyCase() == Event.BodyCase.BODY_NOT_SET) {
        skip(record, "the event has no body that this build knows: update the jobs");
      } else {
        out.collect(byTheBrokersTime(event, record));
      }
    } catch (InvalidProtocolBufferException e) {
      skip(record, "no tocsin.events.v1.Event: " + e.getMessage());
    }
  }

  private Event byTheBrokersTime(Event event, ConsumerRecord<byte[], byte[]> record) {
    if (record.timestampType() != TimestampType.LOG_APPEND_TIME) {
      return event;
    }
    Event earlier = BrokerTime.set(event, record.timestamp());
    if (earlier != event) {
      setBack.of(event.getAgentId()).inc();
    }
    return earlier;
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
