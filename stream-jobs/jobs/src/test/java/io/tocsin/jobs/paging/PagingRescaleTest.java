package io.tocsin.jobs.paging;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.paging.PagingRules;
import io.tocsin.model.ProtobufTypeInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** Pages, waiting corrections and their timers go with their alerts to other instances. */
class PagingRescaleTest {
  private static final int MAX_PARALLELISM = 720;
  private static final int ALERTS = 40;
  private static final long RESEND_MILLIS = 60_000;
  private static final long GRACE_MILLIS = PagingRules.CORRECTION_GRACE.toMillis();

  private final List<Alert> posted = new ArrayList<>();

  /** Half of the alerts page, half wait for a correction that says they page. */
  @Test
  void everyAlertIsPostedByOneInstanceFromOneToFour() throws Exception {
    Instances instances = new Instances(1, null);
    for (int i = 0; i < ALERTS; i++) {
      if (i % 2 == 0) {
        instances.send(alert(i, AlertState.ALERT_STATE_OPEN, 1));
      } else {
        instances.send(alert(i, AlertState.ALERT_STATE_SUPPRESSED, 5));
        instances.send(alert(i, AlertState.ALERT_STATE_OPEN, 1));
      }
    }
    instances = new Instances(2, instances.close());
    instances = new Instances(4, instances.close());
    posted.clear();

    instances.until(GRACE_MILLIS);
    assertThat(posted).hasSize(ALERTS / 2).doesNotHaveDuplicates();
    for (int i = 0; i < ALERTS; i++) {
      instances.send(alert(i, AlertState.ALERT_STATE_OPEN, 1));
    }
    assertThat(posted).hasSize(ALERTS / 2);
    posted.clear();
    instances = new Instances(1, instances.close());
    instances.until(GRACE_MILLIS + RESEND_MILLIS);

    assertThat(posted).extracting(Alert::getFingerprint).hasSize(ALERTS).doesNotHaveDuplicates();
    instances.close();
  }

  private static Alert alert(int number, AlertState state, long version) {
    return Alert.newBuilder()
        .setFingerprint("f" + number)
        .setState(state)
        .setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
        .setVersion(unixNanos(NOON) + version)
        .setFirstSeenUnixNanos(unixNanos(NOON))
        .build();
  }

  /** The operator at some parallelism, restored from what another parallelism has kept. */
  private final class Instances {
    private final List<KeyedOneInputStreamOperatorTestHarness<String, Alert, Alert>> harnesses =
        new ArrayList<>();

    Instances(int parallelism, List<OperatorSubtaskState> kept) throws Exception {
      for (int i = 0; i < parallelism; i++) {
        var harness =
            new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new PagingFunction(Duration.ofMillis(RESEND_MILLIS))),
                Alert::getFingerprint,
                Types.STRING,
                MAX_PARALLELISM,
                parallelism,
                i);
        harness.setup(
            ProtobufTypeInfo.forMessage(Alert.class).createSerializer(new SerializerConfigImpl()));
        if (kept != null) {
          OperatorSubtaskState packed =
              AbstractStreamOperatorTestHarness.repackageState(
                  kept.toArray(OperatorSubtaskState[]::new));
          harness.initializeState(
              AbstractStreamOperatorTestHarness.repartitionOperatorState(
                  packed, MAX_PARALLELISM, kept.size(), parallelism, i));
        }
        harness.open();
        harness.setProcessingTime(0);
        harnesses.add(harness);
      }
    }

    void send(Alert alert) throws Exception {
      int instance =
          KeyGroupRangeAssignment.assignKeyToParallelOperator(
              alert.getFingerprint(), MAX_PARALLELISM, harnesses.size());
      harnesses.get(instance).processElement(alert, 0);
      collect();
    }

    void until(long millis) throws Exception {
      for (var harness : harnesses) {
        harness.setProcessingTime(millis);
      }
      collect();
    }

    List<OperatorSubtaskState> close() throws Exception {
      List<OperatorSubtaskState> kept = new ArrayList<>();
      for (var harness : harnesses) {
        kept.add(harness.snapshot(1, 1));
        harness.close();
      }
      return kept;
    }

    private void collect() {
      for (var harness : harnesses) {
        posted.addAll(harness.extractOutputValues());
        harness.getOutput().clear();
      }
    }
  }
}
