package io.tocsin.connectors.tables;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EventColumns;

/**
 * Events with an alert update to table {@code alert_updates}; its enum numbers are those of the
 * messages.
 */
final class AlertUpdatesEncoder extends RowEncoder<Event> {
  AlertUpdatesEncoder() {
    super("alert_updates", Envelope.columnsAnd(EventColumns.ALERT_UPDATES));
  }

  @Override
  public boolean isAwaited() {
    return true;
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    AlertUpdate update = event.getAlertUpdate();
    Envelope.encode(event, row)
        .enum8(
            "action",
            update.getActionValue(),
            AlertUpdate.Action.ACTION_UPDATE_VALUE,
            AlertUpdate.Action.ACTION_DELETE_VALUE)
        .string(update.getSource())
        .string(update.getCheck())
        .enum8(
            "severity",
            update.getSeverityValue(),
            Severity.SEVERITY_CLEARED_VALUE,
            Severity.SEVERITY_CRITICAL_VALUE)
        .string(update.getSummary())
        .stringMap(update.getLabelsMap())
        .stringArray(update.getFingerprintLabelsList());
  }
}
