package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of {@code devices-v1} to Devices. A tombstone comes out as a device that is blocked,
 * because a device that is not registered is. What is no Device is counted, logged and skipped.
 */
public final class DeviceDeserializer implements KafkaRecordDeserializationSchema<Device> {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceDeserializer.class);

  private transient Counter undecodableRecords;

  @Override
  public void open(InitializationContext context) {
    undecodableRecords =
        context.getMetricGroup().counter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Device> out) {
    if (record.value() == null) {
      if (record.key() != null) {
        out.collect(removed(record));
      }
      return;
    }
    try {
      out.collect(Device.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      undecodableRecords.inc();
      LOG.error(
          "record {}-{}-{} is no tocsin.registrations.v1.Device and is skipped: find out who else writes to the topic",
          record.topic(),
          record.partition(),
          record.offset(),
          e);
    }
  }

  private static Device removed(ConsumerRecord<byte[], byte[]> record) {
    return Device.newBuilder()
        .setMac(new String(record.key(), StandardCharsets.UTF_8))
        .setAccess(Access.ACCESS_BLOCKED)
        .setImportedAtUnixNanos(TimeUnit.MILLISECONDS.toNanos(Math.max(0, record.timestamp())))
        .build();
  }

  @Override
  public TypeInformation<Device> getProducedType() {
    return ProtobufTypeInfo.forMessage(Device.class);
  }
}
