package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ProtocolMessageEnum;
import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.GateInput;
import io.tocsin.correlation.alerts.Acknowledged;
import io.tocsin.correlation.alerts.AlertMatcher;
import io.tocsin.correlation.alerts.GatedAlert;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.alerts.Policy;
import io.tocsin.correlation.alerts.Reason;
import io.tocsin.correlation.alerts.Storm;
import io.tocsin.correlation.alerts.StormGroup;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.Stray;
import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.correlation.calendar.Recurrence;
import io.tocsin.jobs.KeptState;
import io.tocsin.model.EnumWords;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State and timers of the operator; the gate has its own tests. */
class GateFunctionTest {
  private static final StormLimits LIMITS =
      new StormLimits(2, Duration.ofSeconds(10), Duration.ofSeconds(60));

  /** The gate's clock is one entry, for ever. */
  private static final int CLOCK = 1;

  private KeyedTwoInputStreamOperatorTestHarness<Integer, Alert, GateInput, Alert> harness;

  @BeforeEach
  void open() throws Exception {
    harness = newHarness();
    harness.open();
  }

  private static KeyedTwoInputStreamOperatorTestHarness<Integer, Alert, GateInput, Alert>
      newHarness() throws Exception {
    var harness =
        new KeyedTwoInputStreamOperatorTestHarness<Integer, Alert, GateInput, Alert>(
            new KeyedCoProcessOperator<>(new GateFunction(LIMITS, GateFunctionTest::read)),
            alert -> 0,
            input -> 0,
            Types.INT);
    harness.setup(
        ProtobufTypeInfo.forMessage(Alert.class).createSerializer(new SerializerConfigImpl()));
    return harness;
  }

  /**
   * These documents name the device on which work is planned from noon for a minute, once or every
   * day.
   */
  private static Optional<Policy> read(RuleDocument document) {
    if (document.getYaml().equals("nonsense")) {
      throw new IllegalArgumentException("nonsense");
    }
    LocalDateTime noon = LocalDateTime.ofInstant(NOON, ZoneOffset.UTC);
    return Optional.of(
        new MaintenanceWindow(
            document.getName(),
            new AlertMatcher(Map.of("device", List.of(document.getYaml()))),
            document.getYaml().equals("every-day")
                ? Recurrence.of(noon, noon.plusMinutes(1), ZoneOffset.UTC, "FREQ=DAILY")
                : new Occurrence(unixNanos(NOON), unixNanos(A_MINUTE_LATER))));
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void stateIsKeptFieldByFieldWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(GatedAlert.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Reason.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(StormGroup.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(StormGroup.Opening.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Storm.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Stray.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Acknowledged.class);
  }

  @Test
  void stormAndItsMembersSurviveARestoreAndEndEmpty() throws Exception {
    for (int i = 0; i < 4; i++) {
      open("d" + i, NOON);
    }
    restore(harness.snapshot(1, 1));
    for (int i = 0; i < 3; i++) {
      close("d" + i, A_SECOND_LATER);
    }
    harness.processBothWatermarks(watermark(NOON.plusSeconds(20)));

    assertThat(told())
        .endsWith("d3 unsuppressed open", "storm resolved resolved")
        .filteredOn(text -> text.endsWith("unsuppressed open"))
        .hasSize(1);
    close("d3", NOON.plusSeconds(30));
    harness.processBothWatermarks(watermark(NOON.plusSeconds(60)));
    assertThat(harness.numKeyedStateEntries()).isEqualTo(CLOCK);
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void wordOfTheTopicThatTheReplayDoesNotRepeatSurvivesARestoreAndIsSettled() throws Exception {
    tell("d1", A_SECOND_LATER);
    restore(harness.snapshot(1, 1));
    harness.processBothWatermarks(watermark(NOON.plusSeconds(30)));

    assertThat(told()).containsExactly("d1 resolved resolved");
    assertThat(harness.numKeyedStateEntries()).isEqualTo(CLOCK);
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void acknowledgementSurvivesARestoreAndEndsAtItsTime() throws Exception {
    open("d1", NOON);
    acknowledge("d1", A_SECOND_LATER, 59);
    acknowledge("stranger", A_SECOND_LATER, 0);
    restore(harness.snapshot(1, 1));
    harness.processBothWatermarks(watermark(A_MINUTE_LATER));

    assertThat(told()).containsExactly("d1 unacknowledged open");
    close("d1", A_MINUTE_LATER.plusSeconds(1));
    assertThat(harness.numKeyedStateEntries()).isEqualTo(CLOCK);
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void clockOfBeforeTheRestoreHolds() throws Exception {
    push("work", "d1");
    harness.processBothWatermarks(watermark(A_MINUTE_LATER));
    open("d2", A_MINUTE_LATER);
    restore(harness.snapshot(1, 1));
    open("d1", A_SECOND_LATER);

    assertThat(told()).containsExactly("d1 opened open");
  }

  /**
   * A storm with its members, a document, an alert that waits for the end of its window, and a word
   * of the topic that is not settled.
   */
  @Test
  void stateOfVersion1IsStillRead() throws Exception {
    restore(KeptState.of("gate-v1.bin", this::aStormAndAWindow));

    for (int i = 0; i < 3; i++) {
      close("d" + i, TWO_SECONDS_LATER);
    }
    harness.processBothWatermarks(watermark(NOON.plusSeconds(20)));
    harness.processBothWatermarks(watermark(A_MINUTE_LATER));

    assertThat(told())
        .endsWith(
            "x resolved resolved",
            "d3 unsuppressed open",
            "storm resolved resolved",
            "d9 unsuppressed open");
  }

  private OperatorSubtaskState aStormAndAWindow() throws Exception {
    push("work", "d9");
    for (int i = 0; i < 4; i++) {
      open("d" + i, NOON);
    }
    open("d9", A_SECOND_LATER);
    tell("x", NOON);
    return harness.snapshot(1, 1);
  }

  @Test
  void streamThatEndsFollowsWorkOfEveryDayForAMonthAndNotForEver() throws Exception {
    push("work", "every-day");
    open("every-day", NOON.plusSeconds(300));
    int before = told().size();

    harness.processBothWatermarks(Watermark.MAX_WATERMARK);

    assertThat(told().subList(before, told().size()))
        .startsWith("every-day suppressed suppressed", "every-day unsuppressed open")
        .hasSizeBetween(60, 64);
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void windowOfADocumentSurvivesARestoreAndPagesWhatOutlastsIt() throws Exception {
    push("work", "d1");
    open("d1", A_SECOND_LATER);
    restore(harness.snapshot(1, 1));
    harness.processBothWatermarks(watermark(A_MINUTE_LATER));

    assertThat(told()).containsExactly("d1 unsuppressed open");
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void withdrawnDocumentSuppressesNothingMore() throws Exception {
    push("work", "d1");
    open("d1", A_SECOND_LATER);
    push("work", "");
    open("d1/other", TWO_SECONDS_LATER);

    assertThat(told())
        .containsExactly("d1 opened suppressed", "d1 unsuppressed open", "d1/other opened open");
  }

  @Test
  void documentsAreTakenInAQuietNetworkToo() throws Exception {
    open("d1", A_SECOND_LATER);
    open("d2", A_SECOND_LATER);
    push("work", "d1");
    push("more", "d2");
    harness.setProcessingTime(1_000);

    assertThat(told()).endsWith("d1 suppressed suppressed", "d2 suppressed suppressed");
  }

  @Test
  void documentThatIsNotUnderstoodLeavesTheOneBeforeInForce() throws Exception {
    push("work", "d1");
    push("work", "nonsense");
    open("d1", A_SECOND_LATER);

    assertThat(told()).containsExactly("d1 opened suppressed");
  }

  private void restore(OperatorSubtaskState state) throws Exception {
    close();
    harness = newHarness();
    harness.initializeState(state);
    harness.open();
  }

  private void open(String name, Instant time) throws Exception {
    send(name, AlertState.ALERT_STATE_OPEN, AlertTransition.ALERT_TRANSITION_OPENED, time);
  }

  private void close(String name, Instant time) throws Exception {
    send(name, AlertState.ALERT_STATE_RESOLVED, AlertTransition.ALERT_TRANSITION_RESOLVED, time);
  }

  private void send(String name, AlertState state, AlertTransition transition, Instant time)
      throws Exception {
    harness.processElement1(alert(name, state, transition, time), time.toEpochMilli());
  }

  private void acknowledge(String name, Instant time, int forSeconds) throws Exception {
    Acknowledgement word =
        Acknowledgement.newBuilder()
            .setAcknowledgementId(name + " at " + time)
            .setFingerprint(name)
            .setAction(Acknowledgement.Action.ACTION_ACKNOWLEDGE)
            .setBy("ada")
            .setForSeconds(forSeconds)
            .setSaidAtUnixNanos(unixNanos(time))
            .build();
    harness.processElement2(GateInput.newBuilder().setSaid(word).build(), 0);
  }

  /** The topic has an alert that is open. */
  private void tell(String name, Instant time) throws Exception {
    Alert told =
        alert(name, AlertState.ALERT_STATE_OPEN, AlertTransition.ALERT_TRANSITION_OPENED, time);
    harness.processElement2(GateInput.newBuilder().setTold(told).build(), 0);
  }

  private static Alert alert(
      String name, AlertState state, AlertTransition transition, Instant time) {
    return Alert.newBuilder()
        .setFingerprint(name)
        .setState(state)
        .setTransition(transition)
        .setVersion(unixNanos(time))
        .setSource("hyak")
        .setDevice(name.split("/")[0])
        .setCheck("node")
        .build();
  }

  private void push(String name, String yaml) throws Exception {
    harness.processElement2(
        GateInput.newBuilder()
            .setDocument(RuleDocument.newBuilder().setName(name).setYaml(yaml))
            .build(),
        0);
  }

  private static Watermark watermark(Instant time) {
    return new Watermark(time.toEpochMilli());
  }

  private List<String> told() {
    return harness.extractOutputValues().stream()
        .map(
            alert ->
                (alert.getCheck().equals("storm") ? "storm" : alert.getFingerprint())
                    + " "
                    + word(alert.getTransition())
                    + " "
                    + word(alert.getState()))
        .toList();
  }

  private static String word(ProtocolMessageEnum value) {
    return EnumWords.wordOf(value);
  }
}
