package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.Dependency;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.Tombstone;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.v1.RuleDocument;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AlertsJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  static final RuleDocument SOME_RULE =
      RuleDocument.newBuilder().setName("link").setYaml("rule: link").build();

  private static final RuleDocument DHCP_RULE =
      RuleDocument.newBuilder()
          .setName("dhcp-send-failed")
          .setOrigin("dhcp.yaml:1")
          .setYaml(
              """
              kind: rule
              name: dhcp-send-failed
              fingerprint: [device]
              expires: never
              summary: "{device} could not send"
              clauses:
                - signal: raise
                  syslog: { app_name: dhcpd, pattern: 'send_packet: (?P<words>.*)' }
              """)
          .build();

  /** Over, as far as the gate knows too: it has nothing to add. */
  static final Alert TOLD_BEFORE =
      Alert.newBuilder().setFingerprint("f0").setState(AlertState.ALERT_STATE_RESOLVED).build();

  /** It comes to the gate, and concerns no alert. */
  static final Acknowledgement SAID_OF_NOBODY =
      Acknowledgement.newBuilder()
          .setAcknowledgementId("a0")
          .setFingerprint("f0")
          .setAction(Acknowledgement.Action.ACTION_ACKNOWLEDGE)
          .setBy("ada")
          .build();

  static final AlertsJob.Settings SETTINGS =
      new AlertsJob.Settings(
          AlertTiming.DEFAULT,
          UpdateExpiry.of(Duration.ofDays(7)),
          100_000,
          StormLimits.DEFAULT,
          document -> Optional.empty(),
          () -> new RulesAtStart.Contents(List.of(DHCP_RULE), 1));

  @Test
  void updatesBecomeTransitionsAndOtherBodiesAreLeftToTheArchive() throws Exception {
    List<Alert> transitions =
        run(
            List.of(
                TestEvents.raise(1, NOON),
                TestEvents.reject(2, NOON),
                TestEvents.agentStats(3, NOON),
                TestEvents.clear(4, TWO_SECONDS_LATER),
                TestEvents.raise(5, A_SECOND_LATER)));

    assertThat(ofTheFirstDay(transitions))
        .extracting(Alert::getTransition)
        .containsExactly(
            AlertTransition.ALERT_TRANSITION_OPENED, AlertTransition.ALERT_TRANSITION_RESOLVED);
  }

  @Test
  void alertOfAMonitorThatIsGoneExpiresAndIsForgottenOnTheTopic() throws Exception {
    List<Alert> transitions = run(List.of(TestEvents.raise(1, NOON)));

    assertThat(transitions)
        .extracting(Alert::getTransition)
        .containsExactly(
            AlertTransition.ALERT_TRANSITION_OPENED,
            AlertTransition.ALERT_TRANSITION_EXPIRED,
            AlertTransition.ALERT_TRANSITION_UNSPECIFIED);
    assertThat(transitions)
        .extracting(Alert::getFingerprint)
        .containsOnly(transitions.get(0).getFingerprint());
  }

  @Test
  void aRuleMakesAnAlertOfSyslog() throws Exception {
    List<Alert> transitions = run(List.of(TestEvents.syslog(1, NOON)));

    assertThat(ofTheFirstDay(transitions))
        .extracting(Alert::getSource, Alert::getDevice, Alert::getSummary)
        .containsExactly(tuple("dhcp-send-failed", "n0418", "n0418 could not send"));
  }

  @Test
  void burstOf500DeletesAndUpdatesOpensOnlyWhatIsDown() throws Exception {
    List<Event> burst = new ArrayList<>();
    for (int node = 1; node <= 500; node++) {
      Event event = node == 418 ? TestEvents.raise(node, NOON) : TestEvents.clear(node, NOON);
      burst.add(event.toBuilder().setDevice("n%04d".formatted(node)).build());
    }

    List<Alert> transitions = run(burst);

    assertThat(ofTheFirstDay(transitions)).extracting(Alert::getDevice).containsExactly("n0418");
  }

  @Test
  void thirtyOpeningsAreOneStormAndThirtySuppressedMembers() throws Exception {
    List<Event> burst = new ArrayList<>();
    for (int node = 1; node <= 30; node++) {
      burst.add(TestEvents.raise(node, NOON).toBuilder().setDevice("n" + node).build());
    }

    Map<String, Alert> latest = new HashMap<>();
    List<Alert> transitions = run(burst);
    ofTheFirstDay(transitions).forEach(alert -> latest.put(alert.getFingerprint(), alert));

    assertThat(latest.values())
        .filteredOn(alert -> alert.getState() == AlertState.ALERT_STATE_SUPPRESSED)
        .hasSize(30);
    assertThat(latest.values())
        .filteredOn(alert -> alert.getState() == AlertState.ALERT_STATE_OPEN)
        .singleElement()
        .satisfies(
            storm ->
                assertThat(transitions)
                    .filteredOn(alert -> !Tombstone.is(alert))
                    .filteredOn(alert -> alert.getFingerprint().equals(storm.getFingerprint()))
                    .last()
                    .extracting(Alert::getMemberCount)
                    .isEqualTo(30));
  }

  @Test
  void policiesAreReadFromTheDocumentsThatPeopleWrite() {
    RuleDocument work =
        RuleDocument.newBuilder()
            .setName("work")
            .setYaml(
                """
                kind: maintenance
                name: work
                alerts: {device: n1}
                starts: 2026-11-20T12:00:00Z
                ends: 2026-11-20T13:00:00Z
                """)
            .build();
    RuleDocument behind =
        RuleDocument.newBuilder()
            .setName("behind")
            .setYaml(
                """
                kind: dependency
                name: behind
                alerts: {device: acc-*}
                upstreams: [{device: core-1}, {device: core-2}]
                """)
            .build();

    assertThat(RuleBook.policy(work)).get().isInstanceOf(MaintenanceWindow.class);
    assertThat(RuleBook.policy(behind))
        .get()
        .isInstanceOfSatisfying(
            Dependency.class, dependency -> assertThat(dependency.upstreams()).hasSize(2));
  }

  /** At the end of the input time ends too: what is open expires, and all is forgotten. */
  private static List<Alert> ofTheFirstDay(List<Alert> alerts) {
    long end = unixNanos(NOON.plus(Duration.ofDays(1)));
    return alerts.stream()
        .filter(alert -> !Tombstone.is(alert) && alert.getVersion() < end)
        .toList();
  }

  /** Everything that is told, to the end of time. */
  private static List<Alert> run(List<Event> events) throws Exception {
    var env = TestCluster.environment();
    try (CollectingSink<Alert> transitions = new CollectingSink<>()) {
      AlertsJob.define(
          env,
          SETTINGS,
          ListSource.of(Event.class, events),
          ListSource.of(RuleDocument.class, List.of(SOME_RULE)),
          ListSource.of(Alert.class, List.of(TOLD_BEFORE)),
          ListSource.of(Acknowledgement.class, List.of(SAID_OF_NOBODY)),
          transitions);
      env.execute();
      return transitions.elements();
    }
  }
}
