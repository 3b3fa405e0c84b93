package io.tocsin.correlation.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.events.v1.Syslog;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GatewayRulesTest {
  private final GatewayRules rules = new GatewayRules();
  private final GatewayGroup group = new GatewayGroup();
  private final List<Event> told = new ArrayList<>();

  private GatewayRulesTest says(int second, String router, String state) {
    told.addAll(rules.onInput(group, message(second, router, state)).decisions());
    return this;
  }

  private GatewayRulesTest at(int second) {
    told.addAll(rules.onTimer(group, unixNanos(NOON.plusSeconds(second))).decisions());
    return this;
  }

  private static Event message(int second, String router, String state) {
    return syslog(second, router, "%HSRP-5-STATECHANGE: Vlan10 Grp 10 state Standby -> " + state);
  }

  private static Event syslog(int second, String router, String message) {
    return TestEvents.syslog(second, NOON.plusSeconds(second)).toBuilder()
        .setDevice(router)
        .setSite("zrh")
        .setSyslog(Syslog.newBuilder().setSeverity(5).setMessage(message))
        .build();
  }

  private List<String> told() {
    return told.stream()
        .map(Event::getAlertUpdate)
        .map(update -> update.getAction().getNumber() + " " + update.getSummary())
        .toList();
  }

  @Test
  void groupThatHasNotSettledIsJudgedWhenItHas() {
    says(5, "gw-a", "Active").says(1, "gw-b", "Active");

    Step<GatewayGroup, Event> early = rules.onTimer(group, unixNanos(NOON.plusSeconds(11)));

    assertThat(early.decisions()).isEmpty();
    assertThat(early.nextTimerUnixNanos()).isEqualTo(unixNanos(NOON.plusSeconds(15)));
  }

  @Test
  void twoActiveRoutersAreToldWithBothNames() {
    says(0, "gw-a", "Active").at(10).says(60, "gw-b", "Active").at(70);

    assertThat(told()).containsExactly("1 hsrp Vlan10 10: active gw-a and gw-b");
    AlertUpdate update = told.get(0).getAlertUpdate();
    assertThat(update.getCheck()).isEqualTo("split-active");
    assertThat(update.getLabelsMap()).containsEntry("routers", "gw-a, gw-b");
    assertThat(update.getFingerprintLabelsList()).containsExactly("group");
  }

  /** As a state does that went through a checkpoint. */
  @Test
  void alertIsTheSameWhateverOrderTheRoutersComeBackIn() {
    says(0, "gw-a", "Active").says(60, "gw-b", "Active");
    group.isActive = new TreeMap<>(Comparator.reverseOrder());
    group.isActive.putAll(Map.of("gw-a", true, "gw-b", true));

    at(70);

    AlertUpdate update = told.get(0).getAlertUpdate();
    assertThat(told.get(0).getDevice()).isEqualTo("gw-a");
    assertThat(update.getLabelsMap())
        .containsEntry("routers", "gw-a, gw-b")
        .containsEntry("active", "gw-a, gw-b");
  }

  @Test
  void splitThatLastsIsRepeatedEachHourAsNewsOfItsOwn() {
    says(0, "gw-a", "Active").says(60, "gw-b", "Active").at(70).at(80).at(3_669).at(3_670);

    assertThat(told()).hasSize(2).containsOnly("1 hsrp Vlan10 10: active gw-a and gw-b");
    assertThat(told).extracting(Event::getEventId).doesNotHaveDuplicates();
  }

  @Test
  void takeoverIsNotTold() {
    says(0, "gw-a", "Active").says(1, "gw-b", "Standby").at(11);
    says(60, "gw-b", "Active").at(62).says(63, "gw-a", "Speak").at(73);

    assertThat(told()).isEmpty();
  }

  @Test
  void groupWithoutAnActiveRouterIsToldAndClearedWhenOneTakesOver() {
    says(0, "gw-a", "Active").says(1, "gw-b", "Standby").at(11);
    says(60, "gw-a", "Init").at(70).says(90, "gw-b", "Active").at(100);

    assertThat(told())
        .containsExactly(
            "1 hsrp Vlan10 10: none of gw-a, gw-b is active", "2 hsrp Vlan10 10: active gw-b");
    assertThat(told.get(1).getDevice()).isEqualTo(told.get(0).getDevice());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everyOrderOfArrivalEndsInTheSameState(long seed) {
    List<Event> messages = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      messages.add(message(i, i % 3 == 0 ? "gw-a" : "gw-b", i % 2 == 0 ? "Active" : "Standby"));
    }
    GatewayGroup inOrder = new GatewayGroup();
    messages.forEach(event -> rules.onInput(inOrder, event));
    Collections.shuffle(messages, new Random(seed));

    messages.forEach(event -> rules.onInput(group, event));

    assertThat(group.isActive).isEqualTo(inOrder.isActive);
    assertThat(group.claimedAtUnixNanos).isEqualTo(inOrder.claimedAtUnixNanos);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "%HSRP-5-STATECHANGE: GigabitEthernet0/1 Grp 1 state Standby -> Active|hsrp"
            + " GigabitEthernet0/1 1|true",
        "%STANDBY-6-STATECHANGE: Vlan20 Group 20 state Active -> Speak|hsrp Vlan20 20|false",
        "%VRRP-6-STATECHANGE: Vl30 Grp 30 state Backup -> Master|vrrp Vl30 30|true",
        "(VI_1) Entering MASTER STATE|vrrp instance VI_1|true",
        "VRRP_Instance(VI_1) Entering BACKUP STATE|vrrp instance VI_1|false"
      })
  void routersSaySoInTheirDialect(String message, String group, boolean isActive) {
    GatewayClaim claim = GatewayClaim.of(syslog(1, "gw-a", message)).orElseThrow();

    assertThat(claim.group()).isEqualTo(group);
    assertThat(claim.isActive()).isEqualTo(isActive);
    assertThat(claim.key()).isEqualTo("zrh/" + group);
  }

  @Test
  void trapOfHsrpIsAClaim() {
    Event trap =
        TestEvents.snmpTrap(1, NOON).toBuilder()
            .setSnmpTrap(
                SnmpTrap.newBuilder()
                    .setTrapOid("1.3.6.1.4.1.9.9.106.2.0.1")
                    .addVarbinds(
                        SnmpTrap.Varbind.newBuilder()
                            .setOid("1.3.6.1.4.1.9.9.106.1.2.1.1.15.12.10")
                            .setValue("active(6)")))
            .build();

    GatewayClaim claim = GatewayClaim.of(trap).orElseThrow();

    assertThat(claim.group()).isEqualTo("hsrp ifIndex 12 10");
    assertThat(claim.isActive()).isTrue();
  }

  @Test
  void groupThatManyClaimKeepsThoseHeardOfLast() {
    int evicted = 0;
    for (int i = 0; i < 1_000; i++) {
      evicted += rules.onInput(group, message(i, "gw-" + i, "Active")).evicted();
    }

    assertThat(group.isActive).hasSize(16).containsKeys("gw-984", "gw-999");
    assertThat(group.claimedAtUnixNanos).hasSize(16);
    assertThat(evicted).isEqualTo(984);
  }

  @Test
  void groupOfWhichNobodySpokeForMoreThanAYearIsClearedAndForgotten() {
    says(0, "gw-a", "Active").says(1, "gw-b", "Active").at(11);
    Step<GatewayGroup, Event> kept =
        rules.onTimer(group, unixNanos(NOON.plus(Duration.ofDays(400))));
    assertThat(kept.state()).isSameAs(group);
    assertThat(kept.nextTimerUnixNanos())
        .isEqualTo(unixNanos(NOON.plusSeconds(1).plus(Duration.ofDays(400))));

    Step<GatewayGroup, Event> last = rules.onTimer(group, kept.nextTimerUnixNanos());

    assertThat(last.state()).isNull();
    assertThat(last.decisions())
        .extracting(event -> event.getAlertUpdate().getAction())
        .containsExactly(AlertUpdate.Action.ACTION_DELETE);
  }

  @Test
  void otherMessagesAreNone() {
    assertThat(GatewayClaim.of(TestEvents.syslog(1, NOON))).isEmpty();
    assertThat(GatewayClaim.of(TestEvents.snmpTrap(1, NOON))).isEmpty();
    assertThat(GatewayClaim.of(TestEvents.gauge(1, NOON))).isEmpty();
  }
}
