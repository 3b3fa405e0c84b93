package io.tocsin.connectors.tables;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.events.v1.Event;

/** Every transition to table {@code alert_history}. */
public final class AlertHistoryTable implements TableRouter<Alert> {

  private final RowEncoder<Alert> alertHistory = new AlertHistoryEncoder();
  private final RowEncoder<Event> rejects = new RejectsEncoder();

  @Override
  public RowEncoder<Alert> encoderFor(Alert alert) {
    return alertHistory;
  }

  @Override
  public Row<Event> rejectOf(Alert alert, String detail) {
    return new Row<>(Rejects.invalid(alert, detail), rejects);
  }
}
