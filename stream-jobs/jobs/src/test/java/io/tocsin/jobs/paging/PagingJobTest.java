package io.tocsin.jobs.paging;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import java.time.Duration;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PagingJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  @Test
  void openedAndResolvedAlertsReachThePager() throws Exception {
    Alert first =
        Alert.newBuilder()
            .setFingerprint("f1")
            .setState(AlertState.ALERT_STATE_OPEN)
            .setSeverity(Severity.SEVERITY_MAJOR)
            .setVersion(1)
            .build();
    Alert second = first.toBuilder().setFingerprint("f2").build();
    Alert firstResolved =
        first.toBuilder()
            .setState(AlertState.ALERT_STATE_RESOLVED)
            .setVersion(2)
            .setResolvedAtUnixNanos(1)
            .build();

    var env = TestCluster.environment();
    try (CollectingSink<Alert> pager = new CollectingSink<>()) {
      PagingJob.define(
          env,
          Duration.ofMinutes(1),
          ListSource.of(Alert.class, List.of(first, second, firstResolved)),
          pager);
      env.execute();

      assertThat(pager.elements()).containsExactly(first, second, firstResolved);
    }
  }
}
