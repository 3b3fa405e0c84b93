package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of {@code devices-v1} to Devices. A tombstone comes out as a device that is blocked,
 * because a device that is not registered is.
 */
public final class DeviceDeserializer extends MessageDeserializer<Device> {
  /** For the source of the topic. */
  public DeviceDeserializer() {
    super(Device.class, "find out who else writes to the topic");
  }

  @Override
  void read(ConsumerRecord<byte[], byte[]> record, Collector<Device> out)
      throws InvalidProtocolBufferException {
    if (record.value() != null) {
      out.collect(Device.parseFrom(record.value()));
    } else if (record.key() != null) {
      out.collect(removed(record));
    }
  }

  private static Device removed(ConsumerRecord<byte[], byte[]> record) {
    return Device.newBuilder()
        .setMac(new String(record.key(), StandardCharsets.UTF_8))
        .setAccess(Access.ACCESS_BLOCKED)
        .setImportedAtUnixNanos(TimeUnit.MILLISECONDS.toNanos(Math.max(0, record.timestamp())))
        .build();
  }
}
