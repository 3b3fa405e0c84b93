package io.tocsin.jobs.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.findings.ClockReading;
import io.tocsin.correlation.findings.ClockRules;
import io.tocsin.correlation.findings.WrongClocks;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeptState;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.Instants;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** State, timers and the broker's time of finding clock-wrong; the rules have their own tests. */
class ClockOperatorsTest {
  private static final ClockRules RULES = new ClockRules(Duration.ofMinutes(5));
  private static final long OFFSET_NANOS = Duration.ofHours(-5).toNanos();

  private KeyedOneInputStreamOperatorTestHarness<String, ClockReading, Event> harness;

  private void start(OperatorSubtaskState state) throws Exception {
    harness =
        KeyedHarness.of(
            new KeyedRulesFunction<>(RULES, "wrong-clocks", WrongClocks.class),
            ClockRules::keyOf,
            ProtobufTypeInfo.forMessage(Event.class));
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    if (harness != null) {
      harness.close();
    }
  }

  /** An agent's own word of when it reported is held against the time of the record. */
  @Test
  void heartbeatIsHeldAgainstTheBrokersTime() throws Exception {
    var readings =
        new OneInputStreamOperatorTestHarness<>(
            new ProcessOperator<>(new ClockReadingsFunction(RULES)));
    readings.open();
    Event heartbeat = TestEvents.agentStats(1, NOON.plusSeconds(40));
    readings.processElement(heartbeat, NOON.plusSeconds(39).toEpochMilli());
    readings.processElement(heartbeat, NOON.toEpochMilli());

    long noon = Instants.unixNanos(NOON);
    assertThat(readings.extractOutputValues())
        .containsExactly(
            new ClockReading(true, "agent-1", "host-1", "", "", 40_000_000_000L, noon));
    readings.close();
  }

  @Test
  void clockThatIsRightAgainLeavesNothing() throws Exception {
    start(null);
    for (int second = 0; second < 1_000; second++) {
      harness.processElement(reading(second), 0);
      assertThat(harness.numEventTimeTimers()).isEqualTo(1);
    }

    reach(999 + 1_801);

    assertThat(told())
        .containsExactly("ACTION_UPDATE 61", "ACTION_UPDATE 661", "ACTION_DELETE 1000");
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  /** Two readings, and a third one after the restore. */
  @Test
  void clocksOfVersion1AreStillRead() throws Exception {
    OperatorSubtaskState kept =
        KeptState.of(
            "clocks-v1.bin",
            () -> {
              start(null);
              harness.processElement(reading(0), 0);
              harness.processElement(reading(30), 0);
              return harness.snapshot(1, 1);
            });
    start(kept);

    harness.processElement(reading(60), 0);

    assertThat(told()).containsExactly("ACTION_UPDATE 3");
  }

  private static ClockReading reading(int second) {
    long at = Instants.unixNanos(NOON.plusSeconds(second));
    return new ClockReading(false, "r1", "r1", "dc1", "", OFFSET_NANOS, at);
  }

  private void reach(int second) throws Exception {
    harness.processWatermark(NOON.plusSeconds(second).toEpochMilli());
  }

  private List<String> told() {
    return harness.extractOutputValues().stream()
        .map(Event::getAlertUpdate)
        .map(update -> update.getAction() + " " + update.getLabelsOrThrow("events"))
        .toList();
  }
}
