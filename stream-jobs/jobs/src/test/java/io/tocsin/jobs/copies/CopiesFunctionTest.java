package io.tocsin.jobs.copies;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.copies.Copies;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State and timers of the operator; the rules have their own tests. */
class CopiesFunctionTest {
  private KeyedOneInputStreamOperatorTestHarness<String, Event, Event> harness;

  @BeforeEach
  void start() throws Exception {
    start(null);
  }

  private void start(OperatorSubtaskState state) throws Exception {
    harness =
        KeyedHarness.of(
            new CopiesFunction<Event, Event>(
                event -> event, (event, verdict) -> verdict.isCopy() ? null : event),
            Copies::keyOf,
            ProtobufTypeInfo.forMessage(Event.class));
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
  void whatAllAgentsToldIsOnceThereAndLeavesNothing() throws Exception {
    Event first = told("a", 1);
    send(first);
    assertThat(harness.numEventTimeTimers()).isEqualTo(1);
    send(told("b", 1));

    assertThat(passed()).containsExactly(first);
    assertThatNothingIsLeft();
  }

  @Test
  void aCopyIsKnownAfterARestore() throws Exception {
    Event first = told("a", 1);
    send(first);
    OperatorSubtaskState state = harness.snapshot(1, 1);
    assertThat(passed()).containsExactly(first);
    harness.close();

    start(state);
    send(told("b", 1));

    assertThat(passed()).isEmpty();
    assertThatNothingIsLeft();
  }

  @Test
  void whatOneAgentAloneToldIsForgottenInTime() throws Exception {
    send(told("a", 1));
    harness.processWatermark(NOON.plus(Duration.ofMinutes(9)).toEpochMilli());
    assertThat(harness.numKeyedStateEntries()).isEqualTo(1);

    harness.processWatermark(NOON.plus(Duration.ofMinutes(10)).toEpochMilli());

    assertThatNothingIsLeft();
  }

  private static Event told(String agent, long sequence) {
    return TestEvents.ofGroup(agent, sequence, TestEvents.raise(sequence, NOON));
  }

  private void send(Event event) throws Exception {
    harness.processElement(event, NOON.toEpochMilli());
  }

  private List<Event> passed() {
    return harness.extractOutputValues();
  }

  private void assertThatNothingIsLeft() {
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }
}
