package io.tocsin.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import io.tocsin.events.v1.InterfaceCounters;
import io.tocsin.events.v1.LinkProbe;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.events.v1.Syslog;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.document.Rule;
import io.tocsin.testsupport.Instants;
import io.tocsin.testsupport.TestEvents;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RuleSetTest {
  private static final long NOON = 1_795_176_000_000_000_000L;

  private final Map<String, Hysteresis> state = new HashMap<>();
  private long polls;

  /** Of what no rule judges nothing is sent to where state is kept. */
  @Test
  void onlyMeasuresThatARuleNamesAreJudged() {
    RuleSet rules =
        rules(
            measure(
                "m", "[device]", "gauge: { name: connections, raise_above: 9, clear_below: 5 }"));
    Event event = gauge("1", 1);
    Event another = event.toBuilder().setGauge(event.getGauge().toBuilder().setName("n")).build();

    assertThat(rules.judges(event)).isTrue();
    assertThat(rules.judges(another)).isFalse();
    assertThat(rules.judges(TestEvents.interfaceCounters(1, Instants.NOON))).isFalse();
    assertThat(rules.judges(TestEvents.probe(2, Instants.NOON, 10))).isFalse();
    assertThat(rules.judges(TestEvents.syslog(3, Instants.NOON))).isFalse();
    assertThat(rules.judges(TestEvents.agentStats(4, Instants.NOON))).isFalse();
  }

  @Test
  void aSignalCarriesAllThatTheRuleSays() {
    RuleSet rules =
        rules(
            """
            kind: rule
            name: link
            check: interface
            fingerprint: [device, interface, site]
            severity: major
            expires: 2h
            team: network
            runbook: link
            labels: { vendor: cisco, port: "{interface}" }
            clauses:
              - signal: raise
                syslog: { msg_id: UPDOWN, pattern: 'Interface (?P<interface>[^ ,]+), changed state to down' }
                summary: "{interface} of {device} is down"
            """);
    Event event =
        syslog("LINK", "UPDOWN", "Interface Gi1, changed state to down").toBuilder()
            .setSite("hq")
            .build();

    assertThat(apply(rules, event))
        .containsExactly(
            Signal.newBuilder()
                .setKind(Signal.Kind.KIND_RAISE)
                .putFingerprintFields("source", "link")
                .putFingerprintFields("check", "interface")
                .putFingerprintFields("device", "sw1")
                .putFingerprintFields("interface", "Gi1")
                .putFingerprintFields("site", "hq")
                .setSeverity(Severity.SEVERITY_MAJOR)
                .setSource("link")
                .setDevice("sw1")
                .setCheck("interface")
                .setSummary("Gi1 of sw1 is down")
                .setSite("hq")
                .putLabels("vendor", "cisco")
                .putLabels("port", "Gi1")
                .putLabels("interface", "Gi1")
                .putLabels("team", "network")
                .setEventTimeUnixNanos(NOON)
                .setReceivedAtUnixNanos(NOON)
                .setEventId("e-1")
                .setExpiresAfterSeconds(7_200)
                .setRule("link")
                .setRunbook("link")
                .build());
  }

  @Test
  void aSiteThatIsNotConfiguredIsLeftOutOfTheFingerprint() {
    RuleSet rules = rules(rule("a", "[device, site]", "raise", "syslog: { app_name: x }"));
    assertThat(apply(rules, syslog("x", "", "")).get(0).getFingerprintFieldsMap())
        .containsOnlyKeys("source", "check", "device");
  }

  @Test
  void aRoleIsALabelAndMayBeOfTheFingerprint() {
    RuleSet rules = rules(rule("a", "[device, role]", "raise", "syslog: { app_name: x }"));
    Event core = syslog("x", "", "").toBuilder().setRole("core").build();

    assertThat(apply(rules, core).get(0).getLabelsMap()).containsEntry("role", "core");
    assertThat(apply(rules, core).get(0).getFingerprintFieldsMap()).containsEntry("role", "core");
    assertThat(apply(rules, syslog("x", "", "")).get(0).getLabelsMap()).doesNotContainKey("role");
  }

  @Test
  void anEventWithoutAFieldOfTheFingerprintSpeaksOfNothing() {
    RuleSet rules =
        rules(
            rule(
                "a",
                "[device, port]",
                "raise",
                "syslog: { app_name: x, pattern: 'up(?P<port>[0-9]*)' }"));
    assertThat(apply(rules, syslog("x", "", "up"))).isEmpty();
    assertThat(apply(rules, syslog("x", "", "up7"))).hasSize(1);
  }

  @Test
  void theFirstClauseThatMatchesSpeaksForItsRuleAndEveryRuleIsAsked() {
    String twoClauses =
        """
        kind: rule
        name: %s
        fingerprint: [device]
        summary: s
        clauses:
          - { signal: clear, syslog: { app_name: x, pattern: recovered } }
          - { signal: raise, syslog: { pattern: failed } }
          - { signal: raise, syslog: { msg_id: M } }
        """;
    RuleSet rules = rules(twoClauses.formatted("b"), twoClauses.formatted("a"));

    List<Signal> signals = apply(rules, syslog("x", "M", "failed, then recovered"));

    assertThat(signals).extracting(Signal::getRule).containsExactly("a", "b");
    assertThat(signals).extracting(Signal::getKind).containsOnly(Signal.Kind.KIND_CLEAR);
    assertThat(signals).extracting(Signal::getSeverity).containsOnly(Severity.SEVERITY_CLEARED);
  }

  @Test
  void syslogMatchesByAppNameMsgIdStructuredDataAndPatternTogether() {
    RuleSet rules =
        rules(
            rule(
                "a",
                "[device, slot]",
                "raise",
                "syslog: { app_name: [x, y], msg_id: M, pattern: bad, structured_data: { hw@1.slot: slot } }"));
    Event complete = syslog("y", "M", "so bad");
    Event withSlot =
        complete.toBuilder()
            .setSyslog(complete.getSyslog().toBuilder().putStructuredData("hw@1.slot", "3"))
            .build();

    assertThat(apply(rules, withSlot).get(0).getFingerprintFieldsMap()).containsEntry("slot", "3");
    assertThat(apply(rules, complete)).isEmpty();
    assertThat(apply(rules, changed(withSlot, "z", "M", "so bad"))).isEmpty();
    assertThat(apply(rules, changed(withSlot, "x", "N", "so bad"))).isEmpty();
    assertThat(apply(rules, changed(withSlot, "x", "M", "so good"))).isEmpty();
  }

  @Test
  void trapsMatchByNumberOrNameAndReadValuesAndInstances() {
    RuleSet rules =
        rules(
            rule(
                "a",
                "[device, peer]",
                "raise",
                """
                trap:
                      notification: [1.3.6.1.2.1.15.0.2, "BGP4-MIB::bgpBackwardTransNotification"]
                      varbinds:
                        - { object: "BGP4-MIB::bgpPeerState", instance_as: peer, pattern: 'idle|active' }
                """));
    SnmpTrap.Varbind idle =
        SnmpTrap.Varbind.newBuilder()
            .setOid("1.3.6.1.2.1.15.3.1.2.192.0.2.7")
            .setName("BGP4-MIB::bgpPeerState.192.0.2.7")
            .setValue("idle(1)")
            .build();

    List<Signal> signals =
        apply(rules, trap("1.3.6.1.2.1.15.0.2", "BGP4-MIB::bgpBackwardTransNotification", idle));

    assertThat(signals).hasSize(1);
    assertThat(signals.get(0).getFingerprintFieldsMap()).containsEntry("peer", "192.0.2.7");
    assertThat(apply(rules, trap("1.3.6.1.2.1.15.0.1", "x", idle))).isEmpty();
    assertThat(apply(rules, trap("1.3.6.1.2.1.15.0.2", "1.3.6.1.2.1.15.0.2"))).isEmpty();
    assertThat(
            apply(
                rules,
                trap(
                    "1.3.6.1.2.1.15.0.2",
                    "n",
                    idle.toBuilder().setValue("established(6)").build())))
        .isEmpty();
  }

  @Test
  void anObjectIsNotMistakenForOneWhoseNumberBeginsAlike() {
    RuleSet rules =
        rules(
            rule(
                "a",
                "[device, v]",
                "raise",
                "trap: { notification: 1.1, varbinds: [{ object: 1.2.3, as: v }] }"));
    SnmpTrap.Varbind other = SnmpTrap.Varbind.newBuilder().setOid("1.2.34.1").setValue("x").build();
    assertThat(apply(rules, trap("1.1", "1.1", other))).isEmpty();
  }

  @Test
  void dhcpMatchesByTypeAndDetail() {
    RuleSet rules =
        rules(
            rule(
                "a",
                "[server]",
                "raise",
                "dhcp: { type: [send_failed, no_free_leases], pattern: 'not permitted' }"));
    Dhcp.Builder dhcp =
        Dhcp.newBuilder()
            .setMessageType(Dhcp.MessageType.MESSAGE_TYPE_SEND_FAILED)
            .setServer("dhcp1")
            .setDetail("send_packet: Operation not permitted");

    assertThat(apply(rules, event().setDhcp(dhcp).build())).hasSize(1);
    assertThat(apply(rules, event().setDhcp(dhcp.clone().setDetail("other")).build())).isEmpty();
    dhcp.setMessageType(Dhcp.MessageType.MESSAGE_TYPE_ACK);
    assertThat(apply(rules, event().setDhcp(dhcp).build())).isEmpty();
  }

  @Test
  void findingsMatchByActionSourceCheckAndLabels() {
    RuleSet rules =
        rules(
            rule(
                "a",
                "[server]",
                "raise",
                "finding: { source: tocsin-registrations, check: rebind-share, action: update, labels: [server] }"));
    AlertUpdate.Builder update =
        AlertUpdate.newBuilder()
            .setAction(AlertUpdate.Action.ACTION_UPDATE)
            .setSource("tocsin-registrations")
            .setCheck("rebind-share")
            .putLabels("server", "192.0.2.1");

    assertThat(apply(rules, event().setAlertUpdate(update).build())).hasSize(1);
    assertThat(apply(rules, event().setAlertUpdate(update.clone().clearLabels()).build()))
        .isEmpty();
    update.setAction(AlertUpdate.Action.ACTION_DELETE);
    assertThat(apply(rules, event().setAlertUpdate(update).build())).isEmpty();
  }

  @Test
  void aGaugeIsJudgedByItsShareOfTheLimitForEachInstanceAlone() {
    RuleSet rules =
        rules(
            measure(
                "a",
                "[device, instance]",
                "gauge: { name: connections, of: limit, raise_above: 0.9, clear_below: 0.8, consecutive: 2 }"));

    assertThat(told(rules, gauge("1", 950))).isEmpty();
    assertThat(told(rules, gauge("2", 950))).isEmpty();
    assertThat(told(rules, gauge("1", 950))).containsExactly("raise 95 %");
    assertThat(told(rules, gauge("1", 700))).containsExactly("raise 70 %");
    assertThat(state).hasSize(2);
    assertThat(told(rules, gauge("1", 700))).containsExactly("clear 70 %");
    assertThat(told(rules, gauge("2", 100))).isEmpty();
    assertThat(state).isEmpty();
  }

  @Test
  void aGaugeWithoutALimitHasNoShareOfIt() {
    RuleSet rules =
        rules(
            measure(
                "a",
                "[device]",
                "gauge: { name: connections, of: limit, raise_above: 0.9, clear_below: 0.8 }"));
    Event noLimit =
        event().setGauge(Gauge.newBuilder().setName("connections").setValue(1e9)).build();
    assertThat(told(rules, noLimit)).isEmpty();
  }

  @Test
  void countersAreJudgedWhereTheDeviceToldTheFigure() {
    RuleSet rules =
        rules(
            measure(
                "load",
                "[device, interface]",
                "counter: { figure: out_load, alias: WAN, raise_above: 0.9, clear_below: 0.7 }"),
            measure(
                "down",
                "[device, interface]",
                "counter: { figure: is_down, raise_above: 0.5, clear_below: 0.5 }"));
    InterfaceCounters.Builder wan =
        InterfaceCounters.newBuilder().setInterface("Gi1").setAlias("WAN to b");

    assertThat(told(rules, counters(wan))).isEmpty();
    assertThat(told(rules, counters(wan.setOutLoad(0.95)))).containsExactly("raise 95 %");
    assertThat(told(rules, counters(wan.clone().setAlias("LAN").setInterface("Gi2")))).isEmpty();
    wan.clearOutLoad()
        .setAdminStatus(InterfaceCounters.Status.STATUS_UP)
        .setOperStatus(InterfaceCounters.Status.STATUS_DOWN);
    assertThat(told(rules, counters(wan))).containsExactly("raise 100 %");
    wan.setAdminStatus(InterfaceCounters.Status.STATUS_DOWN);
    assertThat(told(rules, counters(wan))).containsExactly("clear 0 %");
  }

  @Test
  void probesAreJudgedByTimeOrLoss() {
    RuleSet rules =
        rules(
            measure(
                "lost",
                "[device, link]",
                "probe: { figure: lost, raise_above: 0.5, clear_below: 0.5, consecutive: 2 }"));
    LinkProbe.Builder probe = LinkProbe.newBuilder().setLinkId("a-b").setLost(true);

    assertThat(told(rules, event().setLinkProbe(probe).build())).isEmpty();
    assertThat(told(rules, event().setLinkProbe(probe).build())).containsExactly("raise 100 %");
  }

  @Test
  void theSeverityCanComeFromAWord() {
    RuleSet rules =
        rules(
            """
            kind: rule
            name: a
            fingerprint: [device]
            summary: s
            severity: { field: word, words: { hot: major, burning: critical }, otherwise: minor }
            clauses:
              - { signal: raise, syslog: { app_name: x, pattern: 'is (?P<word>[a-z]+)' } }
            """);
    assertThat(
            Stream.of("is hot", "is burning", "is warm")
                .map(text -> apply(rules, syslog("x", "", text)).get(0).getSeverity()))
        .containsExactly(
            Severity.SEVERITY_MAJOR, Severity.SEVERITY_CRITICAL, Severity.SEVERITY_MINOR);
  }

  @Test
  void bodiesThatNoRuleReadsAndNewBodiesAreSilent() {
    RuleSet rules = rules(rule("a", "[device]", "raise", "syslog: { app_name: x }"));
    assertThat(apply(rules, event().build())).isEmpty();
    assertThat(apply(rules, trap("1.1", "1.1"))).isEmpty();
    assertThat(told(rules, gauge("1", 1))).isEmpty();
  }

  @Test
  void aMessageMadeToHangAPatternTakesNoLongerThanItsLengthDeserves() {
    RuleSet rules =
        rules(rule("a", "[device]", "raise", "syslog: { app_name: x, pattern: '(a+)+$' }"));
    assertThat(apply(rules, syslog("x", "", "a".repeat(5_000) + "!"))).isEmpty();
  }

  private static String rule(String name, String fingerprint, String signal, String match) {
    return """
        kind: rule
        name: %s
        fingerprint: %s
        summary: s
        clauses:
          - signal: %s
            %s
        """
        .formatted(name, fingerprint, signal, match);
  }

  private static String measure(String name, String fingerprint, String match) {
    return """
        kind: rule
        name: %s
        fingerprint: %s
        summary: "{percent} %%"
        clauses:
          - %s
        """
        .formatted(name, fingerprint, match);
  }

  private static RuleSet rules(String... documents) {
    return RuleSet.of(
        Stream.of(documents)
            .map(text -> (Rule) DocumentLoader.load(new DocumentText("test", 1, text)))
            .toList());
  }

  private List<Signal> apply(RuleSet rules, Event event) {
    RuleSet.Outcome outcome = rules.apply(event, state::get);
    outcome.changed().forEach((key, value) -> state.compute(key, (k, before) -> value));
    return outcome.signals();
  }

  private List<String> told(RuleSet rules, Event event) {
    Event polled = event.toBuilder().setReceivedAtUnixNanos(NOON + ++polls).build();
    return apply(rules, polled).stream()
        .map(
            signal ->
                (signal.getKind() == Signal.Kind.KIND_RAISE ? "raise " : "clear ")
                    + signal.getSummary())
        .toList();
  }

  private static Event.Builder event() {
    return Event.newBuilder()
        .setEventId("e-1")
        .setDevice("sw1")
        .setEventTimeUnixNanos(NOON)
        .setReceivedAtUnixNanos(NOON);
  }

  private static Event syslog(String appName, String msgId, String message) {
    return event()
        .setSyslog(Syslog.newBuilder().setAppName(appName).setMsgId(msgId).setMessage(message))
        .build();
  }

  private static Event changed(Event event, String appName, String msgId, String message) {
    return event.toBuilder()
        .setSyslog(
            event.getSyslog().toBuilder().setAppName(appName).setMsgId(msgId).setMessage(message))
        .build();
  }

  private static Event trap(String oid, String name, SnmpTrap.Varbind... varbinds) {
    return event()
        .setSnmpTrap(
            SnmpTrap.newBuilder()
                .setTrapOid(oid)
                .setTrapName(name)
                .addAllVarbinds(List.of(varbinds)))
        .build();
  }

  private static Event gauge(String instance, double value) {
    return event()
        .setGauge(
            Gauge.newBuilder()
                .setName("connections")
                .setInstance(instance)
                .setValue(value)
                .setLimit(1_000))
        .build();
  }

  private static Event counters(InterfaceCounters.Builder counters) {
    return event().setInterfaceCounters(counters).build();
  }
}
