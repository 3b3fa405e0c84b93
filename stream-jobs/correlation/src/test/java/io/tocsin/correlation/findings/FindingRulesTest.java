package io.tocsin.correlation.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connection tables, agents and gaps. */
class FindingRulesTest {
  private final List<String> told = new ArrayList<>();

  private void tell(Answer answer) {
    answer.updates().stream()
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
    Event.Builder event = TestEvents.gauge(second, NOON.plusSeconds(second)).toBuilder();
    event.getGaugeBuilder().setValue(value);
    assertThat(limits.concerns(event.build())).isTrue();
    tell(limits.onEvent(table, event.build()));
  }

  private void disconnected(int second) {
    Event.Builder event = TestEvents.syslog(second, NOON.plusSeconds(second)).toBuilder();
    event.getSyslogBuilder().setMessage("user 7 disconnected");
    assertThat(limits.concerns(event.build())).isTrue();
    tell(limits.onEvent(table, event.build()));
  }

  @Test
  void tableNearItsLimitIsAWarningBeforeAnybodyIsCut() {
    polled(0, 30_000);
    polled(10, 46_000);
    polled(20, 47_000);
    polled(30, 42_000);
    polled(40, 40_000);

    assertThat(told)
        .containsExactly("conn_limit 1 SEVERITY_WARNING", "conn_limit 2 SEVERITY_CLEARED");
  }

  @Test
  void burstOfDisconnectsMakesItMajor() {
    polled(0, 49_000);
    disconnected(1);
    disconnected(2);
    disconnected(3);

    assertThat(told)
        .containsExactly("conn_limit 1 SEVERITY_WARNING", "conn_limit 1 SEVERITY_MAJOR");
    assertThat(table.mostDisconnects).isEqualTo(3);
  }

  @Test
  void burstThatComesBeforeThePollIsJoined() {
    disconnected(1);
    disconnected(2);
    disconnected(3);
    polled(10, 49_000);

    assertThat(told).containsExactly("conn_limit 1 SEVERITY_MAJOR");
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

    assertThat(told).containsExactly("conn_limit 1 SEVERITY_WARNING");
  }

  @Test
  void temperatureNearItsLimitIsNoConnectionTable() {
    Event.Builder event = TestEvents.gauge(1, NOON).toBuilder();
    event.getGaugeBuilder().setName("temperature");

    assertThat(limits.concerns(event.build())).isFalse();
  }

  @Test
  void tableThatIsPolledNoMoreIsCleared() {
    polled(0, 49_000);

    tell(limits.onTimer(table, "fw-1", at(3_599)));
    tell(limits.onTimer(table, "fw-1", at(3_600)));

    assertThat(told)
        .containsExactly("conn_limit 1 SEVERITY_WARNING", "conn_limit 2 SEVERITY_CLEARED");
    assertThat(limits.isForgotten(table, at(3_600))).isTrue();
  }

  @Test
  void agentIsSilentAfterThirtySecondsAndToldAgainWhenItReports() {
    AgentSilentRules rules = new AgentSilentRules();
    HeardAgent agent = new HeardAgent();
    Event heartbeat = TestEvents.agentStats(1, NOON);
    tell(rules.onHeartbeat(agent, heartbeat, at(0)));
    tell(rules.onHeartbeat(agent, heartbeat, at(10)));

    tell(rules.onTimer(agent, "agent-1", at(0), at(30)));
    assertThat(told).isEmpty();
    tell(rules.onTimer(agent, "agent-1", at(0), at(40)));
    tell(rules.onTimer(agent, "agent-1", at(0), at(41)));
    tell(rules.onHeartbeat(agent, heartbeat, at(50)));

    assertThat(told)
        .containsExactly("agent_silent 1 SEVERITY_CRITICAL", "agent_silent 2 SEVERITY_CLEARED");
  }

  @Test
  void jobThatHasJustStartedCallsNobodySilent() {
    AgentSilentRules rules = new AgentSilentRules();
    HeardAgent agent = new HeardAgent();
    tell(rules.onHeartbeat(agent, TestEvents.agentStats(1, NOON), at(0)));

    Answer answer = rules.onTimer(agent, "agent-1", at(600), at(601));

    assertThat(answer.updates()).isEmpty();
    assertThat(answer.nextTimerUnixNanos()).hasValue(at(630));
  }

  @Test
  void gapsAreToldOnceAMinuteAndClearedAfterFiveQuietOnes() {
    SequenceGapRules rules = new SequenceGapRules();
    SequenceGaps gaps = new SequenceGaps();
    for (int second = 0; second < 90; second++) {
      tell(rules.onGap(gaps, TestEvents.sequenceGap(second, NOON.plusSeconds(second))));
    }
    assertThat(gaps.missing).isEqualTo(270);

    tell(rules.onTimer(gaps, "n0418", at(300)));
    assertThat(told).hasSize(2).containsOnly("sequence_gaps 1 SEVERITY_WARNING");
    tell(rules.onTimer(gaps, "n0418", at(389)));

    assertThat(told).hasSize(3).last().isEqualTo("sequence_gaps 2 SEVERITY_CLEARED");
    assertThat(SequenceGapRules.isQuiet(gaps, at(389))).isTrue();
  }
}
