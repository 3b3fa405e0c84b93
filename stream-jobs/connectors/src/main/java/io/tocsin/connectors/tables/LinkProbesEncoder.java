package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.LinkProbe;
import io.tocsin.model.EventColumns;

/** Events with a WAN probe to table {@code link_probes}. */
final class LinkProbesEncoder extends RowEncoder<Event> {
  LinkProbesEncoder() {
    super("link_probes", Envelope.columnsAnd(EventColumns.LINK_PROBES));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    LinkProbe probe = event.getLinkProbe();
    Envelope.encode(event, row)
        .string(probe.getLinkId())
        .enum8("method", probe.getMethodValue(), 1, LinkProbe.Method.METHOD_DNS_VALUE)
        .string(probe.getTarget())
        .string(probe.getRemoteSite())
        .string(probe.getInterface())
        .nullableFloat64(probe.hasRttMs(), probe.getRttMs())
        .bool(probe.getLost())
        .enum8(
            "loss_reason",
            probe.getLossReasonValue(),
            0,
            LinkProbe.LossReason.LOSS_REASON_NOT_SENT_VALUE)
        .uint64(probe.getSequence())
        .uint32(probe.getIntervalMs())
        .uint32(probe.getTimeoutMs())
        .string(probe.getQueryName())
        .string(probe.getAnswerCode())
        .string(probe.getAnswer())
        .string(probe.getDetail());
  }
}
