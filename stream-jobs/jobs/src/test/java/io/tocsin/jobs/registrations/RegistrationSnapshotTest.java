package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeptState;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.DhcpEvents;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.Test;

/** State that earlier versions wrote is read by this one. */
class RegistrationSnapshotTest {
  private static final DhcpEvents CLIENT = new DhcpEvents("02:00:00:00:00:2a", "10.1.2.3", 60);

  /** The state of a registered client that is bound. */
  private static OperatorSubtaskState ofABoundClient() throws Exception {
    return of(
        CLIENT.discover(NOON),
        CLIENT.offer(NOON.plusMillis(1)),
        CLIENT.select(NOON.plusMillis(2)),
        CLIENT.ack(NOON.plusMillis(3)));
  }

  /** The same, and its server has logged a request that the wire has not shown yet. */
  private static OperatorSubtaskState ofAClientWhoseLineWaits() throws Exception {
    Event request = CLIENT.transaction(2).rebind(NOON.plusSeconds(30));
    return of(CLIENT.ack(NOON), DhcpEvents.logged(request, NOON.plusSeconds(30)));
  }

  private static OperatorSubtaskState of(Event... events) throws Exception {
    var harness = RegistrationFunctionTest.newHarness();
    try {
      harness.open();
      harness.processElement2(
          Device.newBuilder().setMac("02:00:00:00:00:2a").setAccess(Access.ACCESS_ALLOWED).build(),
          0);
      for (Event event : events) {
        harness.processElement1(event, 0);
      }
      return harness.snapshot(1, 1);
    } finally {
      harness.close();
    }
  }

  @Test
  void stateOfVersion1GoesOnWhereItWas() throws Exception {
    var harness = RegistrationFunctionTest.newHarness();
    try {
      harness.initializeState(
          KeptState.of("registrations-v1.bin", RegistrationSnapshotTest::ofABoundClient));
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

  @Test
  void lineThatWaitsInVersion1GivesWayToTheWire() throws Exception {
    var harness = RegistrationFunctionTest.newHarness();
    try {
      harness.initializeState(
          KeptState.of(
              "registrations-waiting-v1.bin", RegistrationSnapshotTest::ofAClientWhoseLineWaits));
      harness.open();

      Event rebind = CLIENT.transaction(2).rebind(NOON.plusSeconds(30).minusMillis(5));
      harness.processElement1(rebind.toBuilder().setEventId("later").build(), 0);
      harness.processBothWatermarks(new Watermark(NOON.plusSeconds(31).toEpochMilli()));

      assertThat(harness.extractOutputValues())
          .extracting(Registration::getState)
          .containsExactly(State.STATE_REBINDING);
    } finally {
      harness.close();
    }
  }
}
