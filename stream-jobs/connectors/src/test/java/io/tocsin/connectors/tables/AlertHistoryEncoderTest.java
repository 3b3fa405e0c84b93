package io.tocsin.connectors.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.connectors.clickhouse.EncodedRows;
import org.junit.jupiter.api.Test;

class AlertHistoryEncoderTest {
  @Test
  void siteIsThatOfTheLabelsWhereNoneIsConfigured() {
    assertThat(row(alert().putLabels("site", "dc1")))
        .isEqualTo(row(alert().putLabels("site", "dc1").setSite("dc1")));
  }

  @Test
  void configuredSiteWinsOverTheLabel() {
    assertThat(row(alert().putLabels("site", "dc1").setSite("dc2")))
        .isNotEqualTo(row(alert().putLabels("site", "dc1")));
  }

  private static Alert.Builder alert() {
    return Alert.newBuilder()
        .setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
        .setState(AlertState.ALERT_STATE_OPEN)
        .setSeverity(Severity.SEVERITY_MAJOR);
  }

  private static byte[] row(Alert.Builder alert) {
    return EncodedRows.of(new AlertHistoryEncoder(), new Told<>(alert.build(), 1));
  }
}
