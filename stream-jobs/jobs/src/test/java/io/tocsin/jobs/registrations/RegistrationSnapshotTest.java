package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.DhcpEvents;
import java.time.Duration;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;
import org.junit.jupiter.api.Test;

/**
 * State that earlier versions wrote is read by this one. A new version of the state adds a file
 * (run {@link #main} with its path) and a test; files are never changed.
 */
class RegistrationSnapshotTest {
  private static final String VERSION_1 =
      "src/test/resources/registrations/registration-v1.snapshot";

  private static final DhcpEvents CLIENT = new DhcpEvents("02:00:00:00:00:2a", "10.1.2.3", 60);

  /** Writes the state of a registered client that is bound. */
  public static void main(String[] args) throws Exception {
    var harness = newHarness();
    try {
      harness.open();
      harness.processElement2(
          Device.newBuilder().setMac("02:00:00:00:00:2a").setAccess(Access.ACCESS_ALLOWED).build(),
          0);
      for (Event event :
          new Event[] {
            CLIENT.discover(NOON),
            CLIENT.offer(NOON.plusMillis(1)),
            CLIENT.select(NOON.plusMillis(2)),
            CLIENT.ack(NOON.plusMillis(3))
          }) {
        harness.processElement1(event, 0);
      }
      OperatorSnapshotUtil.writeStateHandle(harness.snapshot(1, 1), args[0]);
    } finally {
      harness.close();
    }
  }

  @Test
  void stateOfVersion1GoesOnWhereItWas() throws Exception {
    var harness = newHarness();
    try {
      harness.initializeState(OperatorSnapshotUtil.readStateHandle(VERSION_1));
      harness.open();

      Event renewal = CLIENT.transaction(2).renew(NOON.plusSeconds(30));
      harness.processElement1(renewal.toBuilder().setEventId("later").build(), 0);
      harness.processBothWatermarks(new Watermark(NOON.plusSeconds(61).toEpochMilli()));

      assertThat(harness.extractOutputValues())
          .extracting(Registration::getState)
          .containsExactly(State.STATE_RENEWING, State.STATE_EXPIRED);
      Registration renewing = harness.extractOutputValues().get(0);
      assertThat(renewing.getPreviousState()).isEqualTo(State.STATE_BOUND);
      assertThat(renewing.getAccess()).isEqualTo(Access.ACCESS_ALLOWED);
      assertThat(renewing.getServer()).isEqualTo(DhcpEvents.SERVER);
      assertThat(renewing.getVersion()).isEqualTo(NOON.toEpochMilli() + 3);
    } finally {
      harness.close();
    }
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, Event, Device, Registration>
      newHarness() throws Exception {
    var harness =
        new KeyedTwoInputStreamOperatorTestHarness<>(
            new KeyedCoProcessOperator<>(
                new RegistrationFunction(
                    Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofDays(7))),
            (Event event) -> event.getDhcp().getMac(),
            Device::getMac,
            Types.STRING);
    harness.setup(
        ProtobufTypeInfo.forMessage(Registration.class)
            .createSerializer(new SerializerConfigImpl()));
    return harness;
  }
}
