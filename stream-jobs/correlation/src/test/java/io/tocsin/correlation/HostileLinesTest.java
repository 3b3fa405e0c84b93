package io.tocsin.correlation;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.alerts.AlertMatcher;
import io.tocsin.correlation.alerts.UpdateSignals;
import io.tocsin.correlation.findings.ConnectionLimitRules;
import io.tocsin.correlation.findings.GatewayClaim;
import io.tocsin.correlation.registrations.RegistrationRules;
import io.tocsin.correlation.wan.SyslogHistory;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.events.v1.Syslog;
import io.tocsin.registrations.v1.Access;
import io.tocsin.testsupport.DhcpEvents;
import io.tocsin.testsupport.HostileLines;
import io.tocsin.testsupport.Instants;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What strangers write meets findings, policies and registrations. */
class HostileLinesTest {
  private static Consumer<String> syslog(Consumer<Event> work) {
    Event event = TestEvents.syslog(1, Instants.NOON);
    return line ->
        work.accept(
            event.toBuilder()
                .setSyslog(Syslog.newBuilder().setSeverity(5).setMessage(line))
                .build());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " Entering ",
        ") Entering ",
        "a) Entering a",
        "VRRP_Instance(VI_1) Entering MASTER ",
        "a Entering ",
        "(",
        "(((VRRP_Instance(",
        ") Entering MASTER STAT",
        "%HSRP-5-STATECHANGE: ",
        "%HSRP-5-STATECHANGE: a Grp ",
        "%HSRP-5-STATECHANGE: Vlan10 Grp 10 state Standby -",
        "%%%VRRP-6-STATECHANGE: "
      })
  void gatewayClaims(String seed) {
    HostileLines.assertLinear("gateway claim", seed, syslog(GatewayClaim::of));
  }

  @ParameterizedTest
  @ValueSource(strings = {"6.", "1", "("})
  void gatewayTraps(String seed) {
    HostileLines.assertLinear(
        "gateway trap",
        seed,
        line ->
            GatewayClaim.of(
                TestEvents.syslog(1, Instants.NOON).toBuilder()
                    .setSnmpTrap(
                        SnmpTrap.newBuilder()
                            .setTrapOid("1.3.6.1.4.1.9.9.106.2.0.1")
                            .addVarbinds(
                                SnmpTrap.Varbind.newBuilder()
                                    .setOid("1.3.6.1.4.1.9.9.106.1.2.1.1.15." + line)
                                    .setValue(line)))
                    .build()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "teardown tcp ",
        "Teardown TCP timeou",
        "disconnecte",
        "aged ou",
        "connection rese",
        "teardown tcp t"
      })
  void disconnects(String seed) {
    ConnectionLimitRules rules =
        new ConnectionLimitRules(
            "conn|session",
            0.9,
            0.81,
            10,
            "disconnected|connection reset|aged out|teardown tcp .*timeout|teardown tcp .*reset");
    HostileLines.assertLinear("disconnect", seed, syslog(rules::concerns));
  }

  @ParameterizedTest
  @ValueSource(strings = {"link i", "line protoco", "neighbo", "errdisabl", "err-disabl", "ospf"})
  void messagesAboutLinksAndRoutes(String seed) {
    SyslogHistory history = new SyslogHistory();
    HostileLines.assertLinear(
        "syslog history",
        seed,
        syslog(
            event -> {
              if (SyslogHistory.isWorthKeeping(event)) {
                history.add(event);
              }
            }));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "acc-", "ab-", "-acc"})
  void namesThatPoliciesMean(String seed) {
    AlertMatcher matcher = new AlertMatcher(Map.of("device", List.of("*acc*a*a*a*b*-*-x", "a*b")));
    HostileLines.assertLinear(
        "policy", seed, line -> matcher.matches(Alert.newBuilder().setDevice(line).build()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a-", "a", "-"})
  void checksOfAlertUpdates(String seed) {
    HostileLines.assertLinear(
        "runbook",
        seed,
        line ->
            UpdateSignals.of(
                TestEvents.syslog(1, Instants.NOON).toBuilder()
                    .setAlertUpdate(
                        AlertUpdate.newBuilder()
                            .setAction(AlertUpdate.Action.ACTION_UPDATE)
                            .setSource("tocsin-x")
                            .setCheck(line))
                    .build()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.", ":", "a:", "::1", "."})
  void addressesAndNamesOfServers(String seed) {
    RegistrationRules rules =
        new RegistrationRules(Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofDays(7));
    DhcpEvents client = new DhcpEvents("02:00:00:00:00:01", "10.1.0.7", 600);
    HostileLines.assertLinear(
        "registration",
        seed,
        line -> {
          Event.Builder event = client.ack(Instants.NOON).toBuilder();
          event.getDhcpBuilder().setServer(line).setIp(line).setHostname(line);
          rules.onMessage(null, Access.ACCESS_BLOCKED, event.build());
        });
  }
}
