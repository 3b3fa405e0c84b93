package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.v1.RuleDocument;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What leaves the task that reads events, and by which way. Which rules: RulesFunctionTest. */
class SignalsFunctionTest {
  private final List<RuleDocument> pushed = new ArrayList<>();
  private int reads;
  private OneInputStreamOperatorTestHarness<Event, Signal> harness;

  @BeforeEach
  void start() throws Exception {
    start(null);
  }

  private void start(OperatorSubtaskState snapshot, RuleDocument... topic) throws Exception {
    start(function(topic), snapshot);
  }

  private SignalsFunction function(RuleDocument... topic) {
    RulesAtStart rules =
        new RulesAtStart() {
          @Override
          public Contents read() {
            reads++;
            return new Contents(List.of(topic), topic.length);
          }

          @Override
          public Later after(Contents contents) {
            return () -> {
              List<RuleDocument> later = List.copyOf(pushed);
              pushed.clear();
              return later;
            };
          }
        };
    return new SignalsFunction(UpdateExpiry.of(Duration.ofDays(7)), rules, Duration.ZERO);
  }

  private void start(SignalsFunction function, OperatorSubtaskState snapshot) throws Exception {
    harness = new OneInputStreamOperatorTestHarness<>(new ProcessOperator<>(function));
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
  void readerThatCannotBeClosedDoesNotEndTheTaskManager() throws Exception {
    close();
    RulesAtStart refused =
        new RulesAtStart() {
          @Override
          public Contents read() {
            return new Contents(List.of(), 0);
          }

          @Override
          public Later after(Contents contents) {
            return new Later() {
              @Override
              public List<RuleDocument> poll() {
                return List.of();
              }

              @Override
              public void close() {
                throw new KafkaException("Failed to close kafka consumer");
              }
            };
          }
        };
    start(new SignalsFunction(UpdateExpiry.of(Duration.ofDays(7)), refused, Duration.ZERO), null);

    assertThatCode(this::close).doesNotThrowAnyException();
  }

  @Test
  void whatAMonitorSaysGoesTheWayThatIsBounded() throws Exception {
    send(TestEvents.raise(1, NOON));

    assertThat(sideOutput(SignalsFunction.UPDATES))
        .singleElement()
        .extracting(Signal::getExpiresAfterSeconds)
        .isEqualTo((int) Duration.ofDays(7).toSeconds());
    assertThat(signals()).isEmpty();
  }

  @Test
  void whatAJobFoundGoesPastTheBound() throws Exception {
    Event.Builder found = TestEvents.raise(1, NOON).toBuilder().setAgentId("tocsin-wan");
    found.getAlertUpdateBuilder().setSource("tocsin-wan");
    send(found.build());

    assertThat(signals()).singleElement().extracting(Signal::getSource).isEqualTo("tocsin-wan");
    assertThat(sideOutput(SignalsFunction.UPDATES)).isEmpty();
  }

  @Test
  void messagesThatNoRuleMatchesEndHere() throws Exception {
    pushed.add(rule(0, "syslog: { app_name: another }", "signal: raise,"));
    send(TestEvents.syslog(1, NOON));
    send(TestEvents.agentStats(2, NOON));
    send(TestEvents.interfaceCounters(3, NOON));

    assertThat(signals()).isEmpty();
    assertThat(sideOutput(SignalsFunction.MEASURES)).isEmpty();
  }

  @Test
  void messagesMeetTheRulesThatCameBeforeThem() throws Exception {
    send(TestEvents.syslog(1, NOON));
    assertThat(signals()).isEmpty();

    pushed.add(rule(0, "syslog: { app_name: dhcpd }", "signal: raise,"));
    send(TestEvents.syslog(2, NOON));

    assertThat(signals()).extracting(Signal::getRule).containsExactly("a");
  }

  @Test
  void updatesMeetRulesToo() throws Exception {
    pushed.add(rule(0, "finding: { check: node, action: update }", "signal: raise,"));
    send(TestEvents.raise(1, NOON));

    assertThat(signals()).extracting(Signal::getRule).containsExactly("a");
    assertThat(sideOutput(SignalsFunction.UPDATES)).hasSize(1);
  }

  @Test
  void measuresThatARuleJudgesTravelWithoutTheBytesThatWereReceived() throws Exception {
    Event gauge =
        TestEvents.gauge(1, NOON).toBuilder().setRaw(ByteString.copyFromUtf8("bytes")).build();
    String name = gauge.getGauge().getName();
    pushed.add(rule(0, "gauge: { name: " + name + ", raise_above: 2, clear_below: 1 }", ""));
    send(gauge);

    assertThat(sideOutput(SignalsFunction.MEASURES))
        .containsExactly(gauge.toBuilder().clearRaw().build());
    assertThat(signals()).isEmpty();
  }

  @Test
  void eventsOfGroupsGoOnToBeComparedAndMeetNoRuleBefore() throws Exception {
    pushed.add(rule(0, "syslog: { app_name: dhcpd }", "signal: raise,"));
    Event line = TestEvents.ofGroup("a", 1, TestEvents.syslog(1, NOON));
    send(line);

    assertThat(signals()).isEmpty();
    assertThat(sideOutput(SignalsFunction.OF_GROUPS))
        .containsExactly(line.toBuilder().clearRaw().build());
  }

  @Test
  void whereThereAreNoGroupsNobodyReadsTheRulesForThem() throws Exception {
    close();
    reads = 0;
    start(function(rule(0, "syslog: { app_name: dhcpd }", "signal: raise,")).ofGroups(), null);
    assertThat(reads).isZero();

    send(TestEvents.ofGroup("a", 1, TestEvents.syslog(1, NOON)));
    send(TestEvents.ofGroup("a", 2, TestEvents.syslog(2, NOON)));

    assertThat(signals()).extracting(Signal::getRule).containsExactly("a", "a");
    assertThat(reads).isOne();
  }

  /** The topic now holds what this build does not understand: what it did understand stands in. */
  @Test
  void aFormerDocumentSurvivesARestore() throws Exception {
    pushed.add(rule(0, "syslog: { app_name: dhcpd }", "signal: raise,"));
    send(TestEvents.agentStats(1, NOON));
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    start(snapshot, rule(1, "future: {}", "signal: raise,"));
    send(TestEvents.syslog(2, NOON));

    assertThat(signals()).extracting(Signal::getRule).containsExactly("a");
  }

  private void send(Event event) throws Exception {
    harness.processElement(event, NOON.toEpochMilli());
  }

  private List<Signal> signals() {
    return harness.extractOutputValues();
  }

  private <T> List<T> sideOutput(OutputTag<T> tag) {
    Queue<StreamRecord<T>> records = harness.getSideOutput(tag);
    return Stream.ofNullable(records).flatMap(Queue::stream).map(StreamRecord::getValue).toList();
  }

  private static RuleDocument rule(long offset, String match, String signal) {
    return RuleDocument.newBuilder()
        .setName("a")
        .setOrigin("a.yaml:1")
        .setTopicOffset(offset)
        .setYaml(
            """
            kind: rule
            name: a
            fingerprint: [device]
            summary: s
            clauses: [{ %s %s }]
            """
                .formatted(signal, match))
        .build();
  }
}
