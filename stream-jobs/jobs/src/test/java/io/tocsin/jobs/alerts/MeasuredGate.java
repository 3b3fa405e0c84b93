package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.GateInput;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Instant;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;

/** The gate as Flink's operator with its state, without network, and what its work costs. */
final class MeasuredGate {
  private final KeyedTwoInputStreamOperatorTestHarness<Integer, Alert, GateInput, Alert> harness;

  /** A step that is measured. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  MeasuredGate(Backend backend, StormLimits limits, PolicyReader policies) throws Exception {
    harness =
        new KeyedTwoInputStreamOperatorTestHarness<>(
            new KeyedCoProcessOperator<>(new GateFunction(limits, policies)),
            alert -> 0,
            input -> 0,
            Types.INT);
    harness.setStateBackend(backend.open());
    harness.setup(
        ProtobufTypeInfo.forMessage(Alert.class).createSerializer(new SerializerConfigImpl()));
    harness.open();
  }

  /** CPU time of the work for each of so many times, microseconds. */
  double microsEach(int times, Work work) throws Exception {
    CpuTime start = CpuTime.now();
    work.run();
    CpuTime used = CpuTime.now().since(start);
    harness.getOutput().clear();
    return used.threadNanos() / 1e3 / times;
  }

  /** An alert opens, or is resolved: its transition and its version follow from that. */
  void send(Alert.Builder alert, AlertState state, Instant time) throws Exception {
    alert
        .setState(state)
        .setTransition(
            state == AlertState.ALERT_STATE_OPEN
                ? AlertTransition.ALERT_TRANSITION_OPENED
                : AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setVersion(unixNanos(time));
    harness.processElement1(alert.build(), time.toEpochMilli());
  }

  void advance(Instant time) throws Exception {
    harness.processBothWatermarks(new Watermark(time.toEpochMilli()));
  }

  void push(String name, String yaml) throws Exception {
    RuleDocument document = RuleDocument.newBuilder().setName(name).setYaml(yaml).build();
    harness.processElement2(GateInput.newBuilder().setDocument(document).build(), 0);
  }

  /** The gate takes documents together, after a moment. */
  void takePushed() throws Exception {
    harness.setProcessingTime(1_000);
  }

  void close() throws Exception {
    harness.close();
  }
}
