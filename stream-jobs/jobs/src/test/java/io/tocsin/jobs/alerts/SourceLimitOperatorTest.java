package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.SourceAlerts;
import io.tocsin.correlation.alerts.SourceLimitRules;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.correlation.alerts.UpdateSignals;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeptState;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** State and timers of the operator; the rules have their own tests. */
class SourceLimitOperatorTest {
  private static final Duration EXPIRES_AFTER = Duration.ofHours(10);
  private static final Duration FORGET_AFTER = Duration.ofHours(24);

  private KeyedOneInputStreamOperatorTestHarness<String, Signal, Signal> harness;

  /** Room for one alert a share. */
  private void start(OperatorSubtaskState state) throws Exception {
    SourceLimitRules rules = new SourceLimitRules(1, FORGET_AFTER);
    harness =
        KeyedHarness.of(
            new KeyedRulesFunction<>(rules, "source-alerts", SourceAlerts.class),
            signal -> "one share",
            ProtobufTypeInfo.forMessage(Signal.class));
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

  @Test
  void stateIsKeptWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(SourceAlerts.class);
  }

  @Test
  void sourceThatFallsSilentLeavesNothing() throws Exception {
    start(null);
    send(raise("d1"));
    assertThat(harness.numEventTimeTimers()).isEqualTo(1);

    harness.processWatermark(NOON.plus(EXPIRES_AFTER).plus(FORGET_AFTER).toEpochMilli());

    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  /** One alert, and after the restore it and another one. */
  @Test
  void alertsOfASourceOfVersion1AreStillRead() throws Exception {
    OperatorSubtaskState kept =
        KeptState.of(
            "source-alerts-v1.bin",
            () -> {
              start(null);
              send(raise("d1"));
              return harness.snapshot(1, 1);
            });
    start(kept);

    send(TestEvents.clear(2, A_SECOND_LATER).toBuilder().setDevice("d1").build());
    send(raise("d2"));

    assertThat(told()).containsExactly("node d1", "source-limit ");
  }

  private static Event raise(String device) {
    return TestEvents.raise(1, NOON).toBuilder().setDevice(device).build();
  }

  private void send(Event event) throws Exception {
    Signal signal = UpdateSignals.of(event, UpdateExpiry.of(EXPIRES_AFTER)).orElseThrow();
    harness.processElement(signal, NOON.toEpochMilli());
  }

  private List<String> told() {
    return harness.extractOutputValues().stream()
        .map(signal -> signal.getCheck() + " " + signal.getDevice())
        .toList();
  }
}
