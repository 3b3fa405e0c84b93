package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.AddressRules;
import io.tocsin.correlation.registrations.findings.CircuitRules;
import io.tocsin.correlation.registrations.findings.Complaints;
import io.tocsin.correlation.registrations.findings.DiscoverRules;
import io.tocsin.correlation.registrations.findings.FindingLimits;
import io.tocsin.correlation.registrations.findings.LatencyRules;
import io.tocsin.correlation.registrations.findings.PeerRules;
import io.tocsin.correlation.registrations.findings.RefusalRules;
import io.tocsin.correlation.registrations.findings.RenewalRules;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State, timers and complaints of the operator; the rules have their own tests. */
class EvidenceRulesFunctionTest {
  private static final Duration A_MONTH = Duration.ofDays(31);

  private KeyedBroadcastOperatorTestHarness<String, Observation, Observation, Event> harness;

  @BeforeEach
  void open() throws Exception {
    harness = newHarness();
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static KeyedBroadcastOperatorTestHarness<String, Observation, Observation, Event>
      newHarness() throws Exception {
    RenewalRules rules = new RenewalRules(FindingLimits.DEFAULT);
    var harness =
        new KeyedBroadcastOperatorTestHarness<>(
            new CoBroadcastWithKeyedOperator<>(
                new EvidenceRulesFunction<>(rules, RenewalRules.Renewals.class),
                List.of(EvidenceRulesFunction.COMPLAINTS)),
            rules::keyOf,
            Types.STRING,
            1,
            1,
            0);
    harness.setup(
        ProtobufTypeInfo.forMessage(Event.class).createSerializer(new SerializerConfigImpl()));
    return harness;
  }

  @Test
  void statesAreKeptFieldByFieldWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(RenewalRules.Renewals.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(RefusalRules.Refusals.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(LatencyRules.Answers.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(DiscoverRules.Link.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(PeerRules.Peers.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(AddressRules.Address.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(CircuitRules.Moves.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Complaints.Complaint.class);
  }

  @Test
  void findingCarriesTheComplaintAndSurvivesARestoreAndEndsEmpty() throws Exception {
    harness.processBroadcastElement(seen(Kind.SEND_FAILED, NOON, "dhcp-1"), NOON.toEpochMilli());
    for (int i = 0; i < 20; i++) {
      send(seen(Kind.RENEWED, NOON.plusMillis(50L * i), "10.1.0.1"));
    }
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    close();
    harness = newHarness();
    harness.initializeState(snapshot);
    harness.open();
    for (int i = 0; i < 10; i++) {
      send(seen(Kind.REBOUND, NOON.plusSeconds(22).plusMillis(50L * i), "10.1.0.1"));
    }
    harness.watermark(NOON.plusSeconds(23).toEpochMilli());

    assertThat(harness.extractOutputValues()).hasSize(1);
    AlertUpdate raised = harness.extractOutputValues().get(0).getAlertUpdate();
    assertThat(raised.getLabelsMap())
        .containsEntry("evidence", "words of dhcp-1")
        .containsEntry("renewals", "20");

    harness.watermark(NOON.plus(A_MONTH).toEpochMilli());
    List<Event> findings = harness.extractOutputValues();
    assertThat(findings.get(findings.size() - 1).getAlertUpdate().getAction())
        .isEqualTo(AlertUpdate.Action.ACTION_DELETE);
    assertThat(keyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void findingWaitsForWhatTheServerLoggedMeanwhile() throws Exception {
    for (int i = 0; i < 20; i++) {
      send(seen(Kind.RENEWED, NOON.plusMillis(50L * i), "10.1.0.1"));
    }
    for (int i = 0; i < 10; i++) {
      send(seen(Kind.REBOUND, NOON.plusSeconds(22).plusMillis(50L * i), "10.1.0.1"));
    }
    assertThat(harness.extractOutputValues()).isEmpty();

    harness.processBroadcastElement(
        seen(Kind.SEND_FAILED, NOON.plusSeconds(20), "dhcp-1"),
        NOON.plusSeconds(20).toEpochMilli());
    harness.watermark(NOON.plusSeconds(23).toEpochMilli());

    assertThat(harness.extractOutputValues()).hasSize(1);
    assertThat(harness.extractOutputValues().get(0).getAlertUpdate().getLabelsMap())
        .containsEntry("evidence", "words of dhcp-1");
  }

  @Test
  void hostsThatLogAreBoundAndWhoWasUnheardTheLongestGoesFirst() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      Instant time = NOON.plusMillis(i);
      harness.processBroadcastElement(
          seen(Kind.SEND_FAILED, time, "dhcp-" + i), time.toEpochMilli());
    }

    var known = harness.getBroadcastState(EvidenceRulesFunction.COMPLAINTS);
    assertThat(known.immutableEntries()).hasSize(EvidenceRulesFunction.MOST_COMPLAINTS);
    assertThat(known.contains("SEND_FAILED||dhcp-999")).isTrue();
    assertThat(known.contains("SEND_FAILED||dhcp-743")).isFalse();
  }

  private int keyedStateEntries() {
    AbstractStreamOperator<?> operator = (AbstractStreamOperator<?>) harness.getOperator();
    return ((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries();
  }

  private void send(Observation seen) throws Exception {
    harness.processElement(seen, seen.timeUnixNanos() / 1_000_000);
    harness.processWatermark(new Watermark(seen.timeUnixNanos() / 1_000_000 - 1));
  }

  private static Observation seen(Kind kind, Instant time, String server) {
    return new Observation(
        kind,
        4,
        "02:00:00:00:00:2a",
        "10.1.2.3",
        server,
        "10.1.2.1",
        "10.1.2.1",
        "",
        unixNanos(time),
        Double.NaN,
        Long.MAX_VALUE,
        "",
        "words of " + server,
        "",
        "");
  }
}
