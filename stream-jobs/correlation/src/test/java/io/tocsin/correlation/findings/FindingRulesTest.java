package io.tocsin.correlation.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connection tables, agents and gaps. */
class FindingRulesTest {
  private final List<String> told = new ArrayList<>();
  private final List<String> summaries = new ArrayList<>();
  private final List<String> roles = new ArrayList<>();

  private void tell(Step<?, Event> answer) {
    answer.decisions().forEach(event -> summaries.add(event.getAlertUpdate().getSummary()));
    answer
        .decisions()
        .forEach(event -> roles.add(event.getAlertUpdate().getLabelsOrDefault("role", "")));
    answer.decisions().stream()
        .map(Event::getAlertUpdate)
        .map(u -> u.getCheck() + " " + u.getAction().getNumber() + " " + u.getSeverity())
        .forEach(told::add);
  }

  private static long at(int second) {
    return unixNanos(NOON.plusSeconds(second));
  }

  private final ConnectionLimitRules limits =
      new ConnectionLimitRules("conn", 0.9, 0.81, 3, "disconnected");
  private final ConnectionTable table = new ConnectionTable();

  private void polled(int second, double value) {
    polled(second, "", value);
  }

  private void polled(int second, String instance, double value) {
    Event.Builder event =
        TestEvents.gauge(second, NOON.plusSeconds(second)).toBuilder().setRole("firewall");
    event.getGaugeBuilder().setInstance(instance).setValue(value);
    assertThat(limits.concerns(event.build())).isTrue();
    tell(limits.onInput(table, event.build()));
  }

  private void disconnected(int second) {
    Event.Builder event = TestEvents.syslog(second, NOON.plusSeconds(second)).toBuilder();
    event.getSyslogBuilder().setMessage("user 7 disconnected");
    assertThat(limits.concerns(event.build())).isTrue();
    tell(limits.onInput(table, event.build()));
  }

  /** Three disconnects, a second apart. */
  private void burst(int second) {
    for (int i = 0; i < 3; i++) {
      disconnected(second + i);
    }
  }

  @Test
  void tableThatTwoPollsFindNearlyFullIsToldBeforeAnybodyIsCut() {
    polled(0, 30_000);
    polled(10, 46_000);
    polled(20, 30_000);
    polled(30, 46_000);
    assertThat(told).isEmpty();
    polled(40, 50_000);
    polled(50, 50_000);

    assertThat(told).containsExactly("connection-limit 1 SEVERITY_MAJOR");
    assertThat(roles).containsExactly("firewall");
  }

  @Test
  void burstIsAttachedToTheAlertThatIsThere() {
    polled(0, 46_000);
    polled(10, 46_000);
    burst(11);
    disconnected(15);

    assertThat(told)
        .containsExactly(
            "connection-limit 1 SEVERITY_MAJOR", "connection-limit 1 SEVERITY_CRITICAL");
    assertThat(summaries)
        .containsExactly(
            "n0418 holds 46000 of 50000 connections (92 %)",
            "n0418 holds 46000 of 50000 connections (92 %), and cut 3 within a minute");
  }

  @Test
  void burstThatHasDoubledIsToldAgain() {
    polled(0, 49_000);
    for (int second = 1; second <= 7; second++) {
      disconnected(second);
    }

    assertThat(told)
        .containsExactly(
            "connection-limit 1 SEVERITY_CRITICAL", "connection-limit 1 SEVERITY_CRITICAL");
    assertThat(table.mostDisconnects).isEqualTo(6);
  }

  @Test
  void tableInWhichTwoPollsFindRoomIsCleared() {
    polled(0, 49_000);
    burst(1);
    polled(10, 42_000);
    polled(20, 40_000);
    polled(30, 42_000);
    polled(40, 40_000);
    assertThat(told).hasSize(1);
    polled(50, 40_000);
    polled(100, 49_000);
    polled(110, 49_000);

    assertThat(told)
        .containsExactly(
            "connection-limit 1 SEVERITY_CRITICAL",
            "connection-limit 2 SEVERITY_CLEARED",
            "connection-limit 1 SEVERITY_MAJOR");
  }

  @Test
  void fullestOfSeveralTablesCounts() {
    polled(0, "a", 10_000);
    polled(1, "b", 49_000);
    polled(2, "a", 20_000);
    burst(3);
    polled(10, "a", 20_000);
    polled(11, "b", 49_500);
    assertThat(told).containsExactly("connection-limit 1 SEVERITY_CRITICAL");
    polled(20, "b", 15_000);
    polled(30, "b", 15_000);

    assertThat(told).hasSize(2).last().isEqualTo("connection-limit 2 SEVERITY_CLEARED");
  }

  @Test
  void fullTableStaysToldWhenNobodyIsCutAnyMore() {
    polled(0, 49_000);
    burst(1);
    for (int second = 60; second <= 1_200; second += 60) {
      polled(second, 49_000);
    }

    assertThat(told).containsExactly("connection-limit 1 SEVERITY_CRITICAL");
  }

  @Test
  void fullTableIsRepeatedEachHourAsItWasTold() {
    polled(0, 49_000);
    burst(1);
    for (int second = 600; second <= 4_200; second += 600) {
      polled(second, 49_000);
    }

    assertThat(told)
        .containsExactly(
            "connection-limit 1 SEVERITY_CRITICAL", "connection-limit 1 SEVERITY_CRITICAL");
  }

  @Test
  void burstThatComesBeforeThePollIsJoined() {
    burst(1);
    polled(10, 49_000);

    assertThat(told).containsExactly("connection-limit 1 SEVERITY_CRITICAL");
  }

  @Test
  void disconnectsWithoutAFullTableAreSomebodyElses() {
    polled(0, 10_000);
    for (int second = 1; second < 20; second++) {
      disconnected(second);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void disconnectsOfLongAgoAreNoBurst() {
    polled(0, 49_000);
    disconnected(1);
    disconnected(80);
    disconnected(160);

    assertThat(told).isEmpty();
  }

  @Test
  void temperatureNearItsLimitIsNoConnectionTable() {
    Event.Builder event = TestEvents.gauge(1, NOON).toBuilder();
    event.getGaugeBuilder().setName("temperature");

    assertThat(limits.concerns(event.build())).isFalse();
  }

  @Test
  void tableThatNobodyPollsAnyMoreIsClearedAndForgotten() {
    polled(0, 49_000);
    burst(1);

    Step<ConnectionTable, Event> early = limits.onTimer(table, at(899));
    tell(early);
    assertThat(early.nextTimerUnixNanos()).isEqualTo(at(900));
    assertThat(told).hasSize(1);
    Step<ConnectionTable, Event> answer = limits.onTimer(table, at(900));
    tell(answer);
    assertThat(limits.onTimer(table, at(3_602)).state()).isSameAs(table);

    assertThat(limits.onTimer(table, at(3_603))).isEqualTo(Step.forget(List.of()));
    assertThat(told)
        .containsExactly(
            "connection-limit 1 SEVERITY_CRITICAL", "connection-limit 2 SEVERITY_CLEARED");
    assertThat(answer.nextTimerUnixNanos()).isEqualTo(at(3_603));
  }

  @Test
  void agentIsSilentAfterThirtySecondsAndToldAgainWhenItReports() {
    AgentSilentRules rules = new AgentSilentRules(Duration.ofDays(7));
    Event heartbeat = TestEvents.agentStats(1, NOON);
    AgentState agent = rules.onHeartbeat(null, heartbeat, at(0), at(0)).state();
    tell(rules.onHeartbeat(agent, heartbeat, at(0), at(10)));

    tell(rules.onTimer(agent, at(0), at(30)));
    assertThat(told).isEmpty();
    tell(rules.onTimer(agent, at(0), at(40)));
    tell(rules.onTimer(agent, at(0), at(41)));
    tell(rules.onHeartbeat(agent, heartbeat, at(0), at(50)));

    assertThat(told)
        .containsExactly("agent-silent 1 SEVERITY_CRITICAL", "agent-silent 2 SEVERITY_CLEARED");
  }

  @Test
  void agentThatIsSilentIsRepeatedEachHourAndAfterAWeekTakenAsRemoved() {
    AgentSilentRules rules = new AgentSilentRules(Duration.ofDays(7));
    AgentState agent =
        rules.onHeartbeat(null, TestEvents.agentStats(1, NOON), at(0), at(0)).state();
    Step<AgentState, Event> silent = rules.onTimer(agent, at(0), at(30));
    tell(silent);
    assertThat(silent.nextTimerUnixNanos()).isEqualTo(at(3_630));
    tell(rules.onTimer(agent, at(0), at(3_630)));
    assertThat(summaries.get(1)).endsWith("has not reported for 1 h");
    Step<AgentState, Event> last = rules.onTimer(agent, at(0), at(7 * 86_400 - 1));
    assertThat(last.nextTimerUnixNanos()).isEqualTo(at(7 * 86_400));

    Step<AgentState, Event> removed = rules.onTimer(agent, at(0), at(7 * 86_400));
    tell(removed);

    assertThat(removed.state()).isNull();
    assertThat(told)
        .containsExactly(
            "agent-silent 1 SEVERITY_CRITICAL",
            "agent-silent 1 SEVERITY_CRITICAL",
            "agent-silent 1 SEVERITY_CRITICAL",
            "agent-silent 2 SEVERITY_CLEARED");
    assertThat(summaries.get(3)).endsWith("has not reported for 168 hours and is taken as removed");
  }

  /** The run before said that it is silent, and crashed before it kept that. */
  @Test
  void firstHeartbeatAfterARestartSaysThatTheAgentIsNotSilent() {
    AgentSilentRules rules = new AgentSilentRules(Duration.ofDays(7));
    Event heartbeat = TestEvents.agentStats(1, NOON);
    AgentState kept = rules.onHeartbeat(null, heartbeat, at(0), at(0)).state();

    tell(rules.onHeartbeat(kept, heartbeat, at(60), at(61)));
    tell(rules.onHeartbeat(kept, heartbeat, at(60), at(62)));

    assertThat(told).containsExactly("agent-silent 2 SEVERITY_CLEARED");
  }

  @Test
  void jobThatHasJustStartedCallsNobodySilent() {
    AgentSilentRules rules = new AgentSilentRules(Duration.ofDays(7));
    AgentState agent =
        rules.onHeartbeat(null, TestEvents.agentStats(1, NOON), at(0), at(0)).state();

    Step<AgentState, Event> answer = rules.onTimer(agent, at(600), at(601));

    assertThat(answer.decisions()).isEmpty();
    assertThat(answer.nextTimerUnixNanos()).isEqualTo(at(630));
  }

  @Test
  void gapsAreToldOnceAMinuteAndClearedAfterFiveQuietOnes() {
    SequenceGapRules rules = new SequenceGapRules();
    SequenceGaps gaps = new SequenceGaps();
    for (int second = 0; second < 90; second++) {
      Event gap = TestEvents.sequenceGap(second, NOON.plusSeconds(second));
      tell(rules.onInput(gaps, gap.toBuilder().setRole("router").build()));
    }
    assertThat(gaps.missing).isEqualTo(270);

    Step<SequenceGaps, Event> early = rules.onTimer(gaps, at(300));
    tell(early);
    assertThat(early.nextTimerUnixNanos()).isEqualTo(at(389));
    assertThat(told).hasSize(2).containsOnly("sequence-gaps 1 SEVERITY_WARNING");
    Step<SequenceGaps, Event> last = rules.onTimer(gaps, at(389));
    tell(last);

    assertThat(told).hasSize(3).last().isEqualTo("sequence-gaps 2 SEVERITY_CLEARED");
    assertThat(roles).hasSize(3).containsOnly("router");
    assertThat(last.state()).isNull();
  }
}
