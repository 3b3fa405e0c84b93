package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.HALF_A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.registrations.Client;
import io.tocsin.correlation.registrations.DhcpMessage;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.TrackedClient;
import io.tocsin.events.v1.Dhcp.MessageType;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.DhcpEvents;
import java.time.Duration;
import java.time.Instant;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State and timers of the operator; the rules have their own tests. */
class RegistrationFunctionTest {
  private static final String MAC = "02:00:00:00:00:2a";
  private static final Duration FORGET_AFTER = Duration.ofDays(7);

  private final DhcpEvents client = new DhcpEvents(MAC, "10.1.2.3", 60);
  private KeyedTwoInputStreamOperatorTestHarness<String, Event, Device, Registration> harness;

  @BeforeEach
  void open() throws Exception {
    harness = newHarness();
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  static KeyedTwoInputStreamOperatorTestHarness<String, Event, Device, Registration> newHarness()
      throws Exception {
    var harness =
        new KeyedTwoInputStreamOperatorTestHarness<>(
            new KeyedCoProcessOperator<>(
                new RegistrationFunction(
                    Duration.ofMinutes(1), Duration.ofSeconds(10), FORGET_AFTER)),
            (Event event) -> event.getDhcp().getMac(),
            Device::getMac,
            Types.STRING);
    harness.setup(
        ProtobufTypeInfo.forMessage(Registration.class)
            .createSerializer(new SerializerConfigImpl()));
    return harness;
  }

  @Test
  void stateIsKeptFieldByFieldWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(TrackedClient.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Client.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Client.Lease.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(DhcpMessage.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Observation.class);
  }

  @Test
  void leaseEndsWhenTheWatermarkPassesItThoughNoMessageComes() throws Exception {
    send(client.ack(NOON));

    watermark(A_MINUTE_LATER.minusMillis(1));
    assertThat(states()).containsExactly(State.STATE_BOUND);
    watermark(A_MINUTE_LATER);

    assertThat(states()).containsExactly(State.STATE_BOUND, State.STATE_EXPIRED);
  }

  @Test
  void registrationSurvivesARestore() throws Exception {
    register(Access.ACCESS_ALLOWED);
    send(client.discover(NOON));
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    close();
    harness = newHarness();
    harness.initializeState(snapshot);
    harness.open();

    send(client.ack(NOON.plusMillis(5)));

    Registration bound = harness.extractOutputValues().get(0);
    assertThat(bound.getPreviousState()).isEqualTo(State.STATE_DISCOVERING);
    assertThat(bound.getVersion()).isEqualTo(NOON.toEpochMilli() + 1);
    assertThat(bound.getAccess()).isEqualTo(Access.ACCESS_ALLOWED);
  }

  @Test
  void registerChangesBothFamiliesAndRemovalBlocks() throws Exception {
    send(client.ack(NOON));
    send(
        client.message(
            MessageType.MESSAGE_TYPE_V6_REPLY,
            NOON,
            dhcp -> dhcp.setIp("2001:db8::7").setLeaseSeconds(60)));
    register(Access.ACCESS_QUARANTINED);
    register(Access.ACCESS_BLOCKED);

    assertThat(harness.extractOutputValues())
        .extracting(told -> told.getFamily() + " " + told.getAccess())
        .containsExactly(
            "4 ACCESS_BLOCKED",
            "6 ACCESS_BLOCKED",
            "4 ACCESS_QUARANTINED",
            "6 ACCESS_QUARANTINED",
            "4 ACCESS_BLOCKED",
            "6 ACCESS_BLOCKED");
  }

  @Test
  void sameAccessAgainTellsNothing() throws Exception {
    register(Access.ACCESS_ALLOWED);
    send(client.ack(NOON));
    register(Access.ACCESS_ALLOWED);

    assertThat(states()).hasSize(1);
  }

  @Test
  void clientsDoNotMeet() throws Exception {
    send(client.ack(NOON));
    send(new DhcpEvents("02:00:00:00:00:2b", "10.1.2.4", 60).discover(NOON));

    assertThat(harness.extractOutputValues())
        .extracting(Registration::getMac)
        .containsExactly(MAC, "02:00:00:00:00:2b");
  }

  @Test
  void logLineWithoutAClientGoesToTheFindings() throws Exception {
    send(
        new DhcpEvents("", "", 0)
            .message(
                MessageType.MESSAGE_TYPE_SEND_FAILED,
                NOON,
                dhcp -> dhcp.setServer("dhcp-1").setDetail("Operation not permitted")));

    assertThat(harness.extractOutputValues()).isEmpty();
    assertThat(harness.getSideOutput(RegistrationFunction.OBSERVATIONS))
        .extracting(record -> record.getValue().kind())
        .containsExactly(Observation.Kind.SEND_FAILED);
    assertThat(harness.numKeyedStateEntries()).isZero();
  }

  @Test
  void stateAndTimersEndEmpty() throws Exception {
    send(client.discover(NOON));
    send(client.offer(NOON.plusMillis(2)));
    send(client.ack(NOON.plusMillis(4)));
    client.transaction(2);
    send(client.renew(HALF_A_MINUTE_LATER));
    send(client.ack(HALF_A_MINUTE_LATER.plusMillis(4)));

    watermark(NOON.plus(FORGET_AFTER).plus(Duration.ofMinutes(2)));

    assertThat(states()).endsWith(State.STATE_EXPIRED, State.STATE_UNSPECIFIED);
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  private java.util.List<State> states() {
    return harness.extractOutputValues().stream().map(Registration::getState).toList();
  }

  private void send(Event event) throws Exception {
    harness.processElement1(event, event.getReceivedAtUnixNanos() / 1_000_000);
  }

  private void register(Access access) throws Exception {
    harness.processElement2(
        Device.newBuilder()
            .setMac(MAC)
            .setAccess(access)
            .setImportedAtUnixNanos(unixNanos(HALF_A_MINUTE_LATER))
            .build(),
        0);
  }

  private void watermark(Instant time) throws Exception {
    harness.processBothWatermarks(new Watermark(time.toEpochMilli()));
  }
}
