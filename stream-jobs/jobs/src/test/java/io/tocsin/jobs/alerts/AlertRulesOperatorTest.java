package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.Fingerprint;
import io.tocsin.correlation.alerts.Occurrence;
import io.tocsin.correlation.alerts.TrackedAlert;
import io.tocsin.correlation.alerts.UpdateSignals;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeptState;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.EnumWords;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State and timers of the operator; the rules have their own tests. */
class AlertRulesOperatorTest {
  private static final Duration FORGET_AFTER = AlertTiming.DEFAULT.forgetAfter();

  private KeyedOneInputStreamOperatorTestHarness<String, Signal, Alert> harness;

  @BeforeEach
  void open() throws Exception {
    harness = newHarness();
    harness.open();
  }

  private static KeyedOneInputStreamOperatorTestHarness<String, Signal, Alert> newHarness()
      throws Exception {
    return KeyedHarness.of(
        new KeyedRulesFunction<>(
            new AlertRules(AlertTiming.DEFAULT), "tracked-alert", TrackedAlert.class),
        Fingerprint::of,
        ProtobufTypeInfo.forMessage(Alert.class));
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void stateIsKeptFieldByFieldWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(TrackedAlert.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Occurrence.class);
  }

  @Test
  void openAlertSurvivesARestoreAndItsVersionGoesOn() throws Exception {
    send(TestEvents.raise(1, NOON));
    restore(harness.snapshot(1, 1));

    send(TestEvents.raise(2, A_MINUTE_LATER));
    send(TestEvents.clear(3, A_MINUTE_LATER));

    assertThat(harness.extractOutputValues())
        .extracting(Alert::getTransition)
        .containsExactly(
            AlertTransition.ALERT_TRANSITION_REFRESHED, AlertTransition.ALERT_TRANSITION_RESOLVED);
    assertThat(harness.extractOutputValues())
        .extracting(Alert::getVersion)
        .isSorted()
        .allMatch(version -> version > unixNanos(NOON));
  }

  /** An open alert, one that flaps, one that is over and one that expires: all of them go on. */
  @Test
  void stateOfVersion1IsStillRead() throws Exception {
    restore(KeptState.of("alerts-v1.bin", this::aStateOfEachKind));

    send(of("open", TestEvents.clear(20, A_MINUTE_LATER)));
    send(of("over", TestEvents.raise(21, NOON)));
    harness.processWatermark(NOON.plus(Duration.ofMinutes(11)).toEpochMilli());

    assertThat(harness.extractOutputValues())
        .extracting(alert -> alert.getDevice() + " " + EnumWords.wordOf(alert.getTransition()))
        .containsExactlyInAnyOrder("open resolved", "expiring expired", "flapping flapping_ended");
  }

  private OperatorSubtaskState aStateOfEachKind() throws Exception {
    send(of("open", TestEvents.raise(1, NOON)));
    send(of("over", TestEvents.raise(2, NOON)));
    send(of("over", TestEvents.clear(3, A_SECOND_LATER)));
    for (int i = 0; i < AlertTiming.DEFAULT.flappingOpens(); i++) {
      send(of("flapping", TestEvents.raise(4 + 2 * i, NOON.plusSeconds(2 * i))));
      send(of("flapping", TestEvents.clear(5 + 2 * i, NOON.plusSeconds(2 * i + 1))));
    }
    Signal expiring = UpdateSignals.of(of("expiring", TestEvents.raise(19, NOON))).orElseThrow();
    harness.processElement(
        expiring.toBuilder().setExpiresAfterSeconds(60).build(), NOON.toEpochMilli());
    return harness.snapshot(1, 1);
  }

  private static Event of(String device, Event event) {
    return event.toBuilder().setDevice(device).build();
  }

  @Test
  void alertsOfDifferentFingerprintsDoNotMeet() throws Exception {
    send(TestEvents.raise(1, NOON));
    send(TestEvents.clear(2, A_SECOND_LATER).toBuilder().setDevice("n0419").build());

    assertThat(harness.extractOutputValues())
        .extracting(Alert::getTransition)
        .containsExactly(AlertTransition.ALERT_TRANSITION_OPENED);
  }

  @Test
  void clearOfAnUnknownAlertLeavesNothingInTheEnd() throws Exception {
    send(TestEvents.clear(1, NOON));
    assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
    assertThat(harness.numEventTimeTimers()).isEqualTo(1);

    harness.processWatermark(NOON.plus(FORGET_AFTER).toEpochMilli() - 1);
    assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
    harness.processWatermark(NOON.plus(FORGET_AFTER).toEpochMilli());

    assertThat(harness.extractOutputValues()).isEmpty();
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void alertThatExpiresEndsEmpty() throws Exception {
    Signal raise =
        UpdateSignals.of(TestEvents.raise(1, NOON)).orElseThrow().toBuilder()
            .setExpiresAfterSeconds(60)
            .build();
    harness.processElement(raise, NOON.toEpochMilli());

    harness.processWatermark(A_MINUTE_LATER.toEpochMilli());
    assertThat(harness.extractOutputValues())
        .extracting(Alert::getTransition)
        .containsExactly(
            AlertTransition.ALERT_TRANSITION_OPENED, AlertTransition.ALERT_TRANSITION_EXPIRED);
    harness.processWatermark(NOON.plus(FORGET_AFTER).toEpochMilli());

    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  private void restore(OperatorSubtaskState state) throws Exception {
    close();
    harness = newHarness();
    harness.initializeState(state);
    harness.open();
  }

  private void send(Event event) throws Exception {
    harness.processElement(
        UpdateSignals.of(event).orElseThrow(), event.getReceivedAtUnixNanos() / 1_000_000);
  }
}
