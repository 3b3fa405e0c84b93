package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.DnsAnswer;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.LinkProbe;
import io.tocsin.model.EventColumns;

/** Events with an answer of a resolver to table {@code dns_answers}. */
final class DnsAnswersEncoder extends RowEncoder<Event> {
  DnsAnswersEncoder() {
    super("dns_answers", Envelope.columnsAnd(EventColumns.DNS_ANSWERS));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    DnsAnswer answer = event.getDnsAnswer();
    Envelope.encode(event, row)
        .string(answer.getResolverGroup())
        .string(answer.getTarget())
        .string(answer.getQueryName())
        .string(answer.getQueryType())
        .nullableFloat64(answer.hasRttMs(), answer.getRttMs())
        .bool(answer.getLost())
        .enum8(
            "loss_reason",
            answer.getLossReasonValue(),
            0,
            LinkProbe.LossReason.LOSS_REASON_NOT_SENT_VALUE)
        .enum8("transport", answer.getTransportValue(), 0, DnsAnswer.Transport.TRANSPORT_TCP_VALUE)
        .string(answer.getAnswerCode())
        .string(answer.getAnswer())
        .nullableUint32(answer.hasSerial(), answer.getSerial())
        .nullableUint32(answer.hasTtlS(), answer.getTtlS())
        .bool(answer.getAuthenticated())
        .enum8(
            "disagreement",
            answer.getDisagreementValue(),
            0,
            DnsAnswer.Disagreement.DISAGREEMENT_OLD_SERIAL_VALUE)
        .string(answer.getExpected())
        .uint32(answer.getIntervalMs())
        .uint32(answer.getTimeoutMs())
        .string(answer.getDetail());
  }
}
