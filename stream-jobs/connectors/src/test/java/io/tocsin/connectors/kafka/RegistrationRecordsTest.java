package io.tocsin.connectors.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records of registrations-v1, written, and of devices-v1, read. */
class RegistrationRecordsTest {
  private static final String MAC = "02:00:00:00:00:2a";

  private final MetricListener metrics = new MetricListener();
  private final DeviceDeserializer deserializer = new DeviceDeserializer();

  @BeforeEach
  void open() {
    deserializer.open(new MetricsOnly(metrics.getMetricGroup()));
  }

  @Test
  void familiesOfOneMacHaveKeysOfTheirOwn() {
    assertThat(keyOf(4)).isEqualTo(MAC);
    assertThat(keyOf(6)).isEqualTo(MAC + "/6");
  }

  @Test
  void clientThatIsForgottenBecomesATombstone() {
    Registration.Builder client = Registration.newBuilder().setMac(MAC).setFamily(4);
    var serializer = new RegistrationSerializer();

    assertThat(serializer.serialize(client.build(), null, null).value()).isNull();
    client.setState(State.STATE_RELEASED);
    assertThat(serializer.serialize(client.build(), null, null).value())
        .isEqualTo(client.build().toByteArray());
  }

  @Test
  void deviceReadsAsItWasWritten() {
    Device device = Device.newBuilder().setMac(MAC).setAccess(Access.ACCESS_ALLOWED).build();

    assertThat(deserialize(device.toByteArray())).containsExactly(device);
  }

  @Test
  void tombstoneBlocksTheDevice() {
    assertThat(deserialize(null))
        .extracting(Device::getMac, Device::getAccess)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(MAC, Access.ACCESS_BLOCKED));
  }

  @Test
  void recordThatIsNoDeviceIsSkippedAndCounted() {
    assertThat(deserialize(new byte[] {-1, -1})).isEmpty();
    assertThat(
            metrics
                .getCounter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL)
                .orElseThrow()
                .getCount())
        .isEqualTo(1);
  }

  private static String keyOf(int family) {
    Registration registration = Registration.newBuilder().setMac(MAC).setFamily(family).build();
    return new String(
        new RegistrationSerializer().serialize(registration, null, null).key(),
        StandardCharsets.UTF_8);
  }

  private List<Device> deserialize(byte[] value) {
    List<Device> devices = new ArrayList<>();
    deserializer.deserialize(
        new ConsumerRecord<>(Topics.DEVICES, 0, 0, MAC.getBytes(StandardCharsets.UTF_8), value),
        new ListCollector<>(devices));
    return devices;
  }
}
