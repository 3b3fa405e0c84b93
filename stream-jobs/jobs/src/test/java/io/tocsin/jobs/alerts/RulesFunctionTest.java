package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import io.tocsin.jobs.KeptState;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.match.Hysteresis;
import io.tocsin.rules.v1.RuleDocument;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which rules meet an event, and what survives a restore; what rules mean has its own tests. */
class RulesFunctionTest {
  private static final String NOT_UNDERSTOOD = "kind: rule\nname: a\nfuture: key\n";

  private KeyedBroadcastOperatorTestHarness<String, Event, RuleDocument, Signal> harness;
  private long sequence;

  private void start(OperatorSubtaskState snapshot, RuleDocument... topic) throws Exception {
    long end =
        Stream.of(topic).mapToLong(document -> document.getTopicOffset() + 1).max().orElse(0);
    RulesAtStart rules =
        () ->
            new RulesAtStart.Contents(
                Stream.of(topic).filter(document -> !document.getYaml().isEmpty()).toList(), end);
    harness =
        new KeyedBroadcastOperatorTestHarness<>(
            new CoBroadcastWithKeyedOperator<>(
                new RulesFunction(rules), List.of(RulesInForce.DOCUMENTS)),
            Event::getDevice,
            Types.STRING,
            1,
            1,
            0);
    harness.setup(
        ProtobufTypeInfo.forMessage(Signal.class).createSerializer(new SerializerConfigImpl()));
    if (snapshot != null) {
      harness.initializeState(snapshot);
    }
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void stateIsKeptFieldByFieldWithoutKryo() throws Exception {
    start(null);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Hysteresis.class);
  }

  @Test
  void theFirstEventMeetsTheRulesThatTheTopicHeldAtTheStart() throws Exception {
    start(null, syslogRule("a", 0));
    assertThat(rulesThatSpeak()).containsExactly("a");
  }

  @Test
  void anEventMeetsTheRulesThatCameBeforeIt() throws Exception {
    start(null);
    assertThat(rulesThatSpeak()).isEmpty();
    harness.processBroadcastElement(syslogRule("a", 0), 0);
    assertThat(rulesThatSpeak()).containsExactly("a");
    harness.processBroadcastElement(syslogRule("b", 1), 0);
    assertThat(rulesThatSpeak()).containsExactly("a", "b");
    harness.processBroadcastElement(removal("a", 2), 0);
    assertThat(rulesThatSpeak()).containsExactly("b");
  }

  @Test
  void anUpdateReplacesItsRule() throws Exception {
    start(null, syslogRule("a", 0));
    harness.processBroadcastElement(rule("a", 1, "app_name: another"), 0);
    assertThat(rulesThatSpeak()).isEmpty();
  }

  @Test
  void whatTheTopicHeldAtTheStartDoesNotComeIntoForceTwice() throws Exception {
    start(null, syslogRule("a", 3));
    harness.processBroadcastElement(rule("a", 0, "app_name: another"), 0);
    assertThat(rulesThatSpeak()).containsExactly("a");
    harness.processBroadcastElement(removal("a", 1), 0);
    assertThat(rulesThatSpeak()).containsExactly("a");
    harness.processBroadcastElement(syslogRule("b", 2), 0);
    assertThat(rulesThatSpeak()).containsExactly("a");
  }

  @Test
  void aDocumentThatIsNotUnderstoodLeavesTheFormerInForceAndIsCounted() throws Exception {
    start(null, syslogRule("a", 0));
    harness.processBroadcastElement(document("a", 1, NOT_UNDERSTOOD), 0);
    assertThat(rulesThatSpeak()).containsExactly("a");
    assertThat(harness.getBroadcastState(RulesInForce.DOCUMENTS).contains("a")).isFalse();
  }

  @Test
  void theFormerOfADocumentThatIsNotUnderstoodSurvivesARestore() throws Exception {
    start(null);
    harness.processBroadcastElement(syslogRule("a", 0), 0);
    harness.processBroadcastElement(document("a", 1, NOT_UNDERSTOOD), 0);
    restart(document("a", 1, NOT_UNDERSTOOD));
    assertThat(rulesThatSpeak()).containsExactly("a");
  }

  @Test
  void aDocumentThatWasRemovedWhileTheJobWasDownDoesNotComeBackByItsState() throws Exception {
    start(null);
    harness.processBroadcastElement(syslogRule("a", 0), 0);
    restart(removal("a", 1));
    assertThat(rulesThatSpeak()).isEmpty();
  }

  /** A rule whose newest document was not understood, a removed one, and figures that count. */
  @Test
  void stateOfVersion1IsStillRead() throws Exception {
    OperatorSubtaskState kept = KeptState.of("rules-v1.bin", this::aFormerDocumentAndAFigure);
    start(kept, document("a", 2, NOT_UNDERSTOOD), gaugeRule(3), removal("b", 4));

    assertThat(rulesThatSpeak()).containsExactly("a");
    assertThat(rulesThatSpeak(gauge("fw2", 10))).isEmpty();
    assertThat(rulesThatSpeak(gauge("fw1", 10))).containsExactly("g");
  }

  private OperatorSubtaskState aFormerDocumentAndAFigure() throws Exception {
    start(null);
    harness.processBroadcastElement(syslogRule("a", 0), 0);
    harness.processBroadcastElement(syslogRule("b", 1), 0);
    harness.processBroadcastElement(document("a", 2, NOT_UNDERSTOOD), 0);
    harness.processBroadcastElement(gaugeRule(3), 0);
    rulesThatSpeak(gauge("fw1", 10));
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    return snapshot;
  }

  private static RuleDocument gaugeRule(long offset) {
    return document(
        "g",
        offset,
        """
        kind: rule
        name: g
        fingerprint: [device]
        summary: s
        clauses: [{ gauge: { name: connections, raise_above: 9, clear_below: 5, consecutive: 2 } }]
        """);
  }

  @Test
  void figuresAreCountedForEachDeviceAloneAndOnAfterARestore() throws Exception {
    RuleDocument gauge = gaugeRule(0);
    start(null, gauge);
    assertThat(rulesThatSpeak(gauge("fw1", 10))).isEmpty();
    assertThat(rulesThatSpeak(gauge("fw2", 10))).isEmpty();
    restart(gauge);
    assertThat(rulesThatSpeak(gauge("fw1", 10))).containsExactly("g");
    assertThat(rulesThatSpeak(gauge("fw1", 1))).containsExactly("g");
    assertThat(rulesThatSpeak(gauge("fw1", 1))).containsExactly("g");
    assertThat(rulesThatSpeak(gauge("fw2", 1))).isEmpty();
    assertThat(rulesThatSpeak(gauge("fw2", 10))).isEmpty();
  }

  @Test
  void aFigureThatNobodyPollsForADayLeavesNothing() throws Exception {
    start(null, gaugeRule(0));
    rulesThatSpeak(gauge("fw1", 10));
    rulesThatSpeak(gauge("fw2", 10));
    hoursAfterNoon(23);
    assertThat(keptFigures()).isEqualTo(2);

    hoursAfterNoon(25);
    assertThat(keptFigures()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void aFigureThatIsStillPolledIsKept() throws Exception {
    start(null, gaugeRule(0));
    rulesThatSpeak(gauge("fw1", 10));
    sequence += Duration.ofHours(3).toSeconds();
    rulesThatSpeak(gauge("fw1", 10));

    hoursAfterNoon(26);
    assertThat(keptFigures()).isEqualTo(1);
    hoursAfterNoon(28);
    assertThat(keptFigures()).isZero();
  }

  private void hoursAfterNoon(int hours) throws Exception {
    long millis = NOON.plus(Duration.ofHours(hours)).toEpochMilli();
    harness.processWatermark(millis);
    harness.processBroadcastWatermark(millis);
  }

  private int keptFigures() {
    return ((HeapKeyedStateBackend<?>)
            ((AbstractStreamOperator<?>) harness.getOperator()).getKeyedStateBackend())
        .numKeyValueStateEntries();
  }

  private void restart(RuleDocument... topic) throws Exception {
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    start(snapshot, topic);
  }

  private List<String> rulesThatSpeak() throws Exception {
    return rulesThatSpeak(TestEvents.syslog(++sequence, NOON));
  }

  private List<String> rulesThatSpeak(Event event) throws Exception {
    harness.getOutput().clear();
    harness.processElement(event, 0);
    return harness.extractOutputValues().stream().map(Signal::getRule).toList();
  }

  private Event gauge(String device, double value) {
    return TestEvents.envelope(++sequence, NOON.plusSeconds(sequence))
        .setDevice(device)
        .setGauge(Gauge.newBuilder().setName("connections").setValue(value))
        .build();
  }

  private static RuleDocument syslogRule(String name, long offset) {
    return rule(name, offset, "app_name: dhcpd");
  }

  private static RuleDocument rule(String name, long offset, String match) {
    return document(
        name,
        offset,
        """
        kind: rule
        name: %s
        fingerprint: [device]
        summary: s
        clauses: [{ signal: raise, syslog: { %s } }]
        """
            .formatted(name, match));
  }

  private static RuleDocument removal(String name, long offset) {
    return document(name, offset, "");
  }

  private static RuleDocument document(String name, long offset, String yaml) {
    return RuleDocument.newBuilder()
        .setName(name)
        .setYaml(yaml)
        .setOrigin(name + ".yaml:1")
        .setTopicOffset(offset)
        .build();
  }
}
