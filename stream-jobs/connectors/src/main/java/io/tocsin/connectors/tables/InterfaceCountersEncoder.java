package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.InterfaceCounters;
import io.tocsin.model.EventColumns;

/** Events with an interface's counters to table {@code interface_counters}. */
final class InterfaceCountersEncoder extends RowEncoder<Event> {
  InterfaceCountersEncoder() {
    super("interface_counters", Envelope.columnsAnd(EventColumns.INTERFACE_COUNTERS));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    InterfaceCounters counters = event.getInterfaceCounters();
    Envelope.encode(event, row)
        .string(counters.getInterface())
        .uint32(counters.getIfIndex())
        .string(counters.getAlias())
        .uint64(counters.getInOctets())
        .uint64(counters.getOutOctets())
        .uint64(counters.getInPackets())
        .uint64(counters.getOutPackets())
        .uint64(counters.getInErrors())
        .uint64(counters.getOutErrors())
        .uint64(counters.getInDiscards())
        .uint64(counters.getOutDiscards())
        .uint64(counters.getSpeedBps())
        .enum8(
            "oper_status",
            counters.getOperStatusValue(),
            0,
            InterfaceCounters.Status.STATUS_LOWER_LAYER_DOWN_VALUE)
        .enum8(
            "admin_status",
            counters.getAdminStatusValue(),
            0,
            InterfaceCounters.Status.STATUS_LOWER_LAYER_DOWN_VALUE)
        .nullableFloat64(counters.hasInBps(), counters.getInBps())
        .nullableFloat64(counters.hasOutBps(), counters.getOutBps())
        .nullableFloat64(counters.hasInLoad(), counters.getInLoad())
        .nullableFloat64(counters.hasOutLoad(), counters.getOutLoad())
        .nullableFloat64(counters.hasInErrorsPerSecond(), counters.getInErrorsPerSecond())
        .nullableFloat64(counters.hasOutDiscardsPerSecond(), counters.getOutDiscardsPerSecond())
        .uint64(counters.getIntervalMs())
        .uint64(counters.getUptimeCentiseconds());
  }
}
