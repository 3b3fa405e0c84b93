package io.tocsin.jobs.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.findings.AgentSilentRules;
import io.tocsin.correlation.findings.ConnectionLimitRules;
import io.tocsin.correlation.findings.ConnectionTable;
import io.tocsin.correlation.findings.GatewayGroup;
import io.tocsin.correlation.findings.GatewayRules;
import io.tocsin.correlation.findings.SequenceGapRules;
import io.tocsin.correlation.findings.SequenceGaps;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeptState;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** State and timers of the operators; the rules have their own tests. */
class FindingOperatorsTest {
  private static final ConnectionLimitRules LIMITS =
      new ConnectionLimitRules("conn", 0.9, 0.81, 2, "disconnected");
  private static final AgentSilentRules AGENTS = new AgentSilentRules(Duration.ofDays(7));
  private static final String ACTIVE = "%HSRP-5-STATECHANGE: Vlan10 Grp 10 state Standby -> Active";

  private KeyedOneInputStreamOperatorTestHarness<String, Event, Event> harness;

  private static KeyedProcessFunction<String, Event, Event> gaps() {
    return new KeyedRulesFunction<>(new SequenceGapRules(), "sequence-gaps", SequenceGaps.class);
  }

  private static KeyedProcessFunction<String, Event, Event> tables() {
    return new KeyedRulesFunction<>(LIMITS, "connection-table", ConnectionTable.class);
  }

  private static KeyedProcessFunction<String, Event, Event> gateways() {
    return new KeyedRulesFunction<>(new GatewayRules(), "gateway-group", GatewayGroup.class);
  }

  private void start(
      KeyedProcessFunction<String, Event, Event> function, KeySelector<Event, String> key)
      throws Exception {
    start(function, key, null);
  }

  private void start(
      KeyedProcessFunction<String, Event, Event> function,
      KeySelector<Event, String> key,
      OperatorSubtaskState state)
      throws Exception {
    harness = KeyedHarness.of(function, key, ProtobufTypeInfo.forMessage(Event.class));
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void aBusyDeviceHasOneTimerAndAQuietOneNothing() throws Exception {
    start(gaps(), Event::getDevice);
    for (int second = 0; second < 1_000; second++) {
      send(TestEvents.sequenceGap(second, NOON.plusSeconds(second)));
      assertThat(harness.numEventTimeTimers()).isEqualTo(1);
    }

    reach(NOON.plusSeconds(999 + 299));
    assertThat(harness.numEventTimeTimers()).isEqualTo(1);
    reach(NOON.plusSeconds(999 + 301));

    assertThat(told()).endsWith("sequence-gaps ACTION_DELETE");
    assertThatNothingIsLeft();
  }

  @Test
  void aBusyConnectionTableHasOneTimerAndAForgottenOneNothing() throws Exception {
    start(tables(), Event::getDevice);
    for (int second = 0; second < 100; second++) {
      Instant time = NOON.plusSeconds(second);
      send(second % 2 == 0 ? TestEvents.gauge(second, time) : disconnect(second));
      assertThat(harness.numEventTimeTimers()).isEqualTo(1);
    }

    reach(NOON.plusSeconds(99 + 901));
    assertThat(told())
        .startsWith("connection-limit ACTION_UPDATE")
        .containsOnlyOnce("connection-limit ACTION_DELETE")
        .endsWith("connection-limit ACTION_DELETE");
    reach(NOON.plusSeconds(99 + 3_601));

    assertThatNothingIsLeft();
  }

  @Test
  void aGroupIsJudgedWhenItHasSettledThoughAnOlderClaimCameLast() throws Exception {
    start(gateways(), new GatewayRules()::keyOf);
    send(syslog(5, "gw-a", ACTIVE));
    send(syslog(1, "gw-b", ACTIVE));
    assertThat(harness.numEventTimeTimers()).isEqualTo(1);

    reach(NOON.plusSeconds(12));
    assertThat(told()).isEmpty();
    reach(NOON.plusSeconds(16));

    assertThat(told()).containsExactly("split-active ACTION_UPDATE");
    reach(NOON.plus(Duration.ofDays(401)));
    assertThat(told())
        .endsWith("split-active ACTION_UPDATE", "split-active ACTION_DELETE")
        .containsOnlyOnce("split-active ACTION_DELETE");
    assertThatNothingIsLeft();
  }

  @Test
  void anAgentHasOneTimerHoweverOftenItReports() throws Exception {
    start(new AgentsFunction(AGENTS), Event::getAgentId);
    long startMillis = System.currentTimeMillis();
    for (int second = 0; second < 100; second++) {
      harness.setProcessingTime(startMillis + 1_000L * second);
      send(TestEvents.agentStats(second, NOON.plusSeconds(second)));
      assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);
    }
    assertThat(told()).isEmpty();

    harness.setProcessingTime(startMillis + 1_000L * (99 + 31));

    assertThat(told()).containsExactly("agent-silent ACTION_UPDATE");
    harness.setProcessingTime(startMillis + Duration.ofDays(8).toMillis());
    assertThat(told())
        .hasSize(7 * 24 + 2)
        .endsWith("agent-silent ACTION_UPDATE", "agent-silent ACTION_DELETE")
        .containsOnlyOnce("agent-silent ACTION_DELETE");
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numProcessingTimeTimers()).isZero();
  }

  /** Three gaps of one device, and a fourth one after the restore. */
  @Test
  void sequenceGapsOfVersion1AreStillReadAndClearedOnce() throws Exception {
    OperatorSubtaskState kept = KeptState.of("sequence-gaps-v1.bin", this::threeGaps);
    start(gaps(), Event::getDevice, kept);
    send(TestEvents.sequenceGap(4, NOON.plusSeconds(100)));
    reach(NOON.plusSeconds(399));
    assertThat(told()).containsExactly("sequence-gaps ACTION_UPDATE");

    reach(NOON.plusSeconds(401));

    assertThat(told())
        .containsExactly("sequence-gaps ACTION_UPDATE", "sequence-gaps ACTION_DELETE");
    assertThatNothingIsLeft();
  }

  private OperatorSubtaskState threeGaps() throws Exception {
    start(gaps(), Event::getDevice);
    for (int second = 1; second <= 3; second++) {
      send(TestEvents.sequenceGap(second, NOON.plusSeconds(second)));
    }
    return harness.snapshot(1, 1);
  }

  /** A group with one active router, of which a second says so too after the restore. */
  @Test
  void gatewaysOfVersion1AreStillRead() throws Exception {
    KeySelector<Event, String> key = new GatewayRules()::keyOf;
    OperatorSubtaskState kept =
        KeptState.of(
            "gateways-v1.bin",
            () -> {
              start(gateways(), key);
              send(syslog(1, "gw-a", ACTIVE));
              return harness.snapshot(1, 1);
            });
    start(gateways(), key, kept);
    send(syslog(2, "gw-b", ACTIVE));
    reach(NOON.plusSeconds(13));

    assertThat(told()).containsExactly("split-active ACTION_UPDATE");
    assertThat(harness.numEventTimeTimers()).isEqualTo(1);
  }

  /** A full table and one disconnect; with a second one it is a burst. */
  @Test
  void connectionTablesOfVersion1AreStillRead() throws Exception {
    OperatorSubtaskState kept =
        KeptState.of(
            "connection-tables-v1.bin",
            () -> {
              start(tables(), Event::getDevice);
              send(TestEvents.gauge(1, NOON.plusSeconds(1)));
              send(disconnect(2));
              return harness.snapshot(1, 1);
            });
    start(tables(), Event::getDevice, kept);
    send(disconnect(3));

    assertThat(told()).containsExactly("connection-limit ACTION_UPDATE");
    reach(NOON.plusSeconds(2 * 3_600));
    assertThatNothingIsLeft();
  }

  /** An agent that was silent when the state was kept, and reports after the restore. */
  @Test
  void agentsOfVersion1AreStillRead() throws Exception {
    OperatorSubtaskState kept = KeptState.of("agents-v1.bin", this::aSilentAgent);
    start(new AgentsFunction(AGENTS), Event::getAgentId, kept);
    harness.setProcessingTime(System.currentTimeMillis());
    send(TestEvents.agentStats(2, NOON.plusSeconds(2)));

    assertThat(told()).containsExactly("agent-silent ACTION_DELETE");
    assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);
  }

  private OperatorSubtaskState aSilentAgent() throws Exception {
    start(new AgentsFunction(AGENTS), Event::getAgentId);
    long startMillis = System.currentTimeMillis();
    harness.setProcessingTime(startMillis);
    send(TestEvents.agentStats(1, NOON.plusSeconds(1)));
    harness.setProcessingTime(startMillis + 40_000);
    return harness.snapshot(1, 1);
  }

  private void assertThatNothingIsLeft() {
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  private void send(Event event) throws Exception {
    harness.processElement(event, event.getReceivedAtUnixNanos() / 1_000_000);
  }

  private void reach(Instant time) throws Exception {
    harness.processWatermark(time.toEpochMilli());
  }

  private List<String> told() {
    return harness.extractOutputValues().stream()
        .map(Event::getAlertUpdate)
        .map(update -> update.getCheck() + " " + update.getAction())
        .toList();
  }

  private static Event disconnect(int second) {
    return syslog(second, "n0418", "user " + second + " disconnected");
  }

  private static Event syslog(int second, String device, String message) {
    Event.Builder event = TestEvents.syslog(second, NOON.plusSeconds(second)).toBuilder();
    event.setDevice(device).getSyslogBuilder().setMessage(message);
    return event.build();
  }
}
