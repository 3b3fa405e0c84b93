package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import io.tocsin.model.EventColumns;

/** Events with a polled figure to table {@code gauges}. */
final class GaugesEncoder extends RowEncoder<Event> {
  GaugesEncoder() {
    super("gauges", Envelope.columnsAnd(EventColumns.GAUGES));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    Gauge gauge = event.getGauge();
    Envelope.encode(event, row)
        .string(gauge.getName())
        .string(gauge.getInstance())
        .float64(gauge.getValue())
        .nullableFloat64(gauge.hasLimit(), gauge.getLimit())
        .string(gauge.getUnit())
        .string(gauge.getOid());
  }
}
