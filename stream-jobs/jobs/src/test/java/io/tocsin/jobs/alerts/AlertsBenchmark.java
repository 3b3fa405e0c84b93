package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.Fingerprint;
import io.tocsin.correlation.alerts.TrackedAlert;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.ProtobufTypeInfo;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * Signals that the alert rules take in a second of CPU time, in one thread: Flink's operator with
 * its state, without network and serialization between operators. Run by {@code make bench}.
 *
 * <p>Every key is opened first. Then raises come in a round, each of another key than the one
 * before, as a refresh of every alert does. Fingerprints are made per signal, as in the job.
 */
public final class AlertsBenchmark {
  private static final int MEASURED_SIGNALS = 1_000_000;
  private static final int ROUNDS = 3;
  private static final int KEPT_OUTPUT = 100_000;
  private static final long STEP_NANOS = 1_000;

  private final KeyedOneInputStreamOperatorTestHarness<String, Signal, Alert> harness;
  private final int keys;
  private long sent;

  private AlertsBenchmark(
      KeyedOneInputStreamOperatorTestHarness<String, Signal, Alert> harness, int keys) {
    this.harness = harness;
    this.keys = keys;
  }

  /** Prints the best of some rounds for each number of keys and each state backend. */
  public static void main(String[] args) throws Exception {
    int[] numbers = {1_000, 1_000_000};
    for (Backend backend : Backend.values()) {
      double few = 0;
      for (int keys : numbers) {
        CpuTime best = measure(backend, keys);
        double each = (double) best.threadNanos() / MEASURED_SIGNALS;
        few = few == 0 ? each : few;
        System.out.printf(
            "alerts %-7s %,9d keys: %,9.0f signals a CPU second, %.2f us each (%.2f us with the"
                + " JVM's other threads), %.2f x the cost at %,d keys%n",
            backend,
            keys,
            1e9 / each,
            each / 1_000,
            best.processNanos() / 1e3 / MEASURED_SIGNALS,
            each / few,
            numbers[0]);
      }
    }
  }

  private static CpuTime measure(Backend backend, int keys) throws Exception {
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<String, Signal, Alert>(
            new KeyedProcessOperator<>(
                new KeyedRulesFunction<>(
                    new AlertRules(AlertTiming.DEFAULT), "tracked-alert", TrackedAlert.class)),
            Fingerprint::of,
            Types.STRING);
    harness.setStateBackend(backend.open());
    harness.setup(
        ProtobufTypeInfo.forMessage(Alert.class).createSerializer(new SerializerConfigImpl()));
    harness.open();
    try {
      AlertsBenchmark benchmark = new AlertsBenchmark(harness, keys);
      benchmark.send(keys);
      CpuTime best = benchmark.round();
      for (int round = 1; round < ROUNDS; round++) {
        best = best.lesser(benchmark.round());
      }
      return best;
    } finally {
      harness.close();
    }
  }

  private CpuTime round() throws Exception {
    CpuTime start = CpuTime.now();
    send(MEASURED_SIGNALS);
    return CpuTime.now().since(start);
  }

  private void send(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      harness.processElement(signal(sent % keys, sent++), 0);
      if (sent % KEPT_OUTPUT == 0) {
        harness.getOutput().clear();
      }
    }
  }

  private static Signal signal(long key, long sequence) {
    String device = "n" + key;
    long time = unixNanos(NOON) + sequence * STEP_NANOS;
    return Signal.newBuilder()
        .setKind(Signal.Kind.KIND_RAISE)
        .putAllFingerprintFields(Map.of("source", "hyak", "device", device, "check", "node"))
        .setSeverity(Severity.SEVERITY_CRITICAL)
        .setSource("hyak")
        .setDevice(device)
        .setCheck("node")
        .setSummary("node down: no heartbeat for 30 s")
        .putLabels("rack", "b4")
        .setEventTimeUnixNanos(time)
        .setReceivedAtUnixNanos(time)
        .setEventId("agent-1-18a7b3c4d5e6f708-" + sequence)
        .build();
  }
}
