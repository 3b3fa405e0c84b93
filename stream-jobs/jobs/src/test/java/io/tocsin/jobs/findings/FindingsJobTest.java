package io.tocsin.jobs.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.findings.AgentSilentRules;
import io.tocsin.correlation.findings.AgentState;
import io.tocsin.correlation.findings.ClockReading;
import io.tocsin.correlation.findings.ClockRules;
import io.tocsin.correlation.findings.ConnectionLimitRules;
import io.tocsin.correlation.findings.ConnectionTable;
import io.tocsin.correlation.findings.GatewayGroup;
import io.tocsin.correlation.findings.HostLoad;
import io.tocsin.correlation.findings.ResolverRules;
import io.tocsin.correlation.findings.ResolverState;
import io.tocsin.correlation.findings.SequenceGapRules;
import io.tocsin.correlation.findings.SequenceGaps;
import io.tocsin.correlation.findings.StorageSlowRules;
import io.tocsin.correlation.findings.WrongClocks;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FindingsJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  private static final ConnectionLimitRules LIMITS =
      new ConnectionLimitRules("conn", 0.9, 0.81, 2, "disconnected");
  private static final AgentSilentRules AGENTS = new AgentSilentRules(Duration.ofDays(7));

  private static final ClockRules CLOCKS = new ClockRules(Duration.ofMinutes(5));
  private static final StorageSlowRules STORAGE =
      new StorageSlowRules("^cpu_busy$", new StorageSlowRules.Limits(90, 20, 50));

  private static final ResolverRules RESOLVERS = new ResolverRules(1, 200);

  private KeyedOneInputStreamOperatorTestHarness<String, Event, Event> harness;

  @AfterEach
  void close() throws Exception {
    if (harness != null) {
      harness.close();
    }
  }

  private static Event syslog(int second, String device, String message) {
    Event.Builder event = TestEvents.syslog(second, NOON.plusSeconds(second)).toBuilder();
    event.setDevice(device).getSyslogBuilder().setMessage(message);
    return event.build();
  }

  @Test
  void everyFindingIsTold() throws Exception {
    String active = "%HSRP-5-STATECHANGE: Vlan10 Grp 10 state Standby -> Active";
    List<Event> events = new ArrayList<>();
    events.add(syslog(1, "gw-a", active));
    events.add(syslog(2, "gw-b", active));
    events.add(TestEvents.gauge(3, NOON.plusSeconds(3)));
    events.add(syslog(4, "n0418", "user 1 disconnected"));
    events.add(syslog(5, "n0418", "user 2 disconnected"));
    events.add(TestEvents.sequenceGap(6, NOON.plusSeconds(6)));
    for (int second = 0; second <= 90; second += 30) {
      events.add(anHourAhead(second));
    }
    for (int second = 8; second <= 10; second++) {
      events.add(gauge(second, "cpu_busy", 5));
      events.add(gauge(second, "disk_utilization", 98));
    }
    for (int second = 11; second <= 611; second += 300) {
      events.add(TestEvents.deniedDnsAnswer(second, NOON.plusSeconds(second)));
    }
    events.add(TestEvents.reject(7, NOON.plusSeconds(7)));

    var env = TestCluster.environment();
    try (CollectingSink<Event> findings = new CollectingSink<>()) {
      FindingsJob.define(
          env,
          LIMITS,
          AGENTS,
          CLOCKS,
          STORAGE,
          RESOLVERS,
          ListSource.of(Event.class, events),
          findings);
      env.execute();

      assertThat(findings.elements())
          .extracting(event -> event.getAlertUpdate().getCheck() + " " + event.getDevice())
          .contains(
              "split-active gw-a",
              "connection-limit n0418",
              "sequence-gaps n0418",
              "clock-wrong r1",
              "storage-slow n0418",
              "resolver-disagrees ns1");
    }
  }

  private static Event gauge(int second, String name, double value) {
    Event.Builder event = TestEvents.gauge(second, NOON.plusSeconds(second)).toBuilder();
    event.getGaugeBuilder().setName(name).setValue(value).clearLimit();
    return event.build();
  }

  private static Event anHourAhead(int second) {
    return syslog(second, "r1", "no battery").toBuilder()
        .setEventTimeUnixNanos(unixNanos(NOON.plusSeconds(second).plus(Duration.ofHours(1))))
        .build();
  }

  @Test
  void silentAgentIsToldByTheJobsOwnClockAndStateIsFreeOfKryo() throws Exception {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(AgentState.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(ConnectionTable.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(GatewayGroup.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(HostLoad.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(ResolverState.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(SequenceGaps.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(ClockReading.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(WrongClocks.class);
    long start = System.currentTimeMillis();
    harness = harness(new AgentsFunction(AGENTS), Event::getAgentId);
    harness.setProcessingTime(start);
    harness.processElement(TestEvents.agentStats(1, NOON), 0);
    harness.setProcessingTime(start + 29_000);
    assertThat(harness.extractOutputValues()).isEmpty();

    harness.setProcessingTime(start + 120_000);

    assertThat(harness.extractOutputValues())
        .extracting(event -> event.getAlertUpdate().getCheck())
        .containsExactly("agent-silent");
  }

  @Test
  void quietDeviceLeavesNothing() throws Exception {
    harness =
        harness(
            new KeyedRulesFunction<>(new SequenceGapRules(), "sequence-gaps", SequenceGaps.class),
            Event::getDevice);
    harness.processElement(TestEvents.sequenceGap(1, NOON), NOON.toEpochMilli());

    harness.processWatermark(NOON.plusSeconds(301).toEpochMilli());

    assertThat(harness.extractOutputValues()).hasSize(2);
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  private KeyedOneInputStreamOperatorTestHarness<String, Event, Event> harness(
      KeyedProcessFunction<String, Event, Event> function, KeySelector<Event, String> key)
      throws Exception {
    harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(function), key, Types.STRING);
    harness.setup(
        ProtobufTypeInfo.forMessage(Event.class).createSerializer(new SerializerConfigImpl()));
    harness.open();
    return harness;
  }
}
