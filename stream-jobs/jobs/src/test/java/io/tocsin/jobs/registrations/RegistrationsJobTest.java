package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.registrations.findings.FindingLimits;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Dhcp.MessageType;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.DhcpEvents;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.time.Instant;
import java.util.ArrayList;
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
            State.STATE_DISCOVERING,
            State.STATE_OFFERED,
            State.STATE_BOUND,
            State.STATE_EXPIRED,
            // At the end of the input time ends too, and the client is forgotten.
            State.STATE_UNSPECIFIED);
  }

  @Test
  void eachAnswerOnTheWireTellsHowLongItsServerTook() throws Exception {
    DhcpEvents client = new DhcpEvents("02:00:00:00:00:2a", "10.1.2.3", 60);
    Event offer = client.offer(NOON.plusMillis(7));
    Event ack = client.ack(NOON.plusMillis(20));

    Outcome outcome =
        run(
            List.of(
                client.discover(NOON),
                offer,
                client.select(NOON.plusMillis(8)),
                ack,
                // The same answer as another listener saw it.
                client.ack(NOON.plusMillis(21))));

    assertThat(outcome.answers())
        .containsExactly(
            answer(offer, NOON.plusMillis(7), LeaseLatency.Kind.KIND_OFFER, 7),
            answer(ack, NOON.plusMillis(20), LeaseLatency.Kind.KIND_ACK, 12));
  }

  private static LeaseLatency answer(
      Event event, Instant time, LeaseLatency.Kind kind, double latencyMs) {
    return LeaseLatency.newBuilder()
        .setEventId(event.getEventId())
        .setEventTimeUnixNanos(unixNanos(time))
        .setKind(kind)
        .setFamily(4)
        .setMac("02:00:00:00:00:2a")
        .setIp("10.1.2.3")
        .setServer(DhcpEvents.SERVER)
        .setScope("10.1.2.1")
        .setRelay("10.1.2.1")
        .setSite(event.getSite())
        .setLatencyMs(latencyMs)
        .build();
  }

  @Test
  void clientsThatGetNoAnswerToTheirRenewalsAreFoundWithTheServersOwnWords() throws Exception {
    List<Event> events = new ArrayList<>();
    List<Event> renewals = new ArrayList<>();
    List<Event> rebinds = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      DhcpEvents client =
          new DhcpEvents("02:00:00:00:01:%02x".formatted(i), "10.1.2." + (10 + i), 60);
      events.add(client.ack(NOON.plusMillis(100L * i)));
      client.transaction(2);
      renewals.add(client.renew(NOON.plusSeconds(30).plusMillis(100L * i)));
      rebinds.add(client.rebind(NOON.plusSeconds(53).plusMillis(100L * i)));
    }
    events.addAll(renewals);
    events.add(
        new DhcpEvents("", "", 0)
            .message(
                MessageType.MESSAGE_TYPE_SEND_FAILED,
                NOON.plusSeconds(31),
                dhcp ->
                    dhcp.clearRelay()
                        .setServer("dhcp-1")
                        .setDetail("send_packet: Operation not permitted")));
    events.addAll(rebinds);

    List<Event> findings = run(events).findings();

    Event raised = findings.get(0);
    assertThat(raised.getAlertUpdate().getCheck()).isEqualTo("rebind-share");
    assertThat(raised.getAlertUpdate().getAction()).isEqualTo(AlertUpdate.Action.ACTION_UPDATE);
    assertThat(raised.getAlertUpdate().getLabelsMap())
        .containsEntry("server", DhcpEvents.SERVER)
        .containsEntry("relay", "10.1.2.1")
        .containsEntry("evidence", "send_packet: Operation not permitted");
    Event last = findings.get(findings.size() - 1);
    assertThat(last.getAlertUpdate().getAction()).isEqualTo(AlertUpdate.Action.ACTION_DELETE);
  }

  private record Outcome(
      List<Registration> transitions, List<LeaseLatency> answers, List<Event> findings) {}

  private static Outcome run(List<Event> events) throws Exception {
    var env = TestCluster.environment();
    try (CollectingSink<Registration> transitions = new CollectingSink<>();
        CollectingSink<LeaseLatency> answers = new CollectingSink<>();
        CollectingSink<Event> findings = new CollectingSink<>()) {
      RegistrationsJob.define(
          env,
          ListSource.of(Event.class, events),
          ListSource.of(Device.class, List.of(OTHER_DEVICE)),
          FindingLimits.DEFAULT,
          transitions,
          answers,
          findings);
      env.execute();
      return new Outcome(transitions.elements(), answers.elements(), findings.elements());
    }
  }
}
