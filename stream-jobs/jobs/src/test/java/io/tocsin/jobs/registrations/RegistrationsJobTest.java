package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.DhcpEvents;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RegistrationsJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  private static final Device OTHER_DEVICE =
      Device.newBuilder().setMac("02:00:00:00:00:ff").setAccess(Access.ACCESS_ALLOWED).build();

  @Test
  void messagesBecomeTransitionsInBothSinksAndTheAgentsCountersEndTheLease() throws Exception {
    DhcpEvents client = new DhcpEvents("02:00:00:00:00:2a", "10.1.2.3", 60);

    Outcome outcome =
        run(
            List.of(
                client.discover(NOON),
                client.offer(NOON.plusMillis(1)),
                TestEvents.syslog(3, NOON),
                client.select(NOON.plusMillis(2)),
                client.ack(NOON.plusMillis(3)),
                TestEvents.agentStats(6, A_MINUTE_LATER.plusSeconds(10))));

    assertThat(outcome.transitions())
        .extracting(Registration::getState)
        .containsExactly(
            State.STATE_DISCOVERING, State.STATE_OFFERED, State.STATE_BOUND, State.STATE_EXPIRED);
    assertThat(outcome.history()).isEqualTo(outcome.transitions());
  }

  private record Outcome(List<Registration> transitions, List<Registration> history) {}

  private static Outcome run(List<Event> events) throws Exception {
    var env = TestCluster.environment();
    try (CollectingSink<Registration> transitions = new CollectingSink<>();
        CollectingSink<Registration> history = new CollectingSink<>()) {
      RegistrationsJob.define(
          env,
          ListSource.of(Event.class, events),
          ListSource.of(Device.class, List.of(OTHER_DEVICE)),
          transitions,
          history);
      env.execute();
      return new Outcome(transitions.elements(), history.elements());
    }
  }
}
