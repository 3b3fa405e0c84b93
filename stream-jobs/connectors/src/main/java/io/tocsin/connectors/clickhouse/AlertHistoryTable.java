package io.tocsin.connectors.clickhouse;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.Rejects;
import io.tocsin.events.v1.Event;

/** Every transition to table {@code alert_history}. */
public final class AlertHistoryTable implements TableRouter<Alert> {

  private final RowEncoder<Alert> alertHistory = new AlertHistoryEncoder();

  @Override
  public RowEncoder<Alert> encoderFor(Alert alert) {
    return alertHistory;
  }

  @Override
  public Event rejectOf(Alert alert, String detail) {
    return Rejects.invalid(alert, detail);
  }
}
