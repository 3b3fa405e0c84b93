package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EventColumns;

/** Events with a DHCP message to table {@code dhcp}; enum numbers are those of the message. */
final class DhcpEncoder extends RowEncoder<Event> {
  DhcpEncoder() {
    super("dhcp", Envelope.columnsAnd(EventColumns.DHCP));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    Dhcp dhcp = event.getDhcp();
    Envelope.encode(event, row)
        .enum16("message_type", dhcp.getMessageTypeValue(), DhcpEncoder::isMessageType)
        .enum8("path", dhcp.getPathValue(), 1, Dhcp.Path.PATH_SERVER_LOG_VALUE)
        .enum8(
            "request_kind",
            dhcp.getRequestKindValue(),
            0,
            Dhcp.RequestKind.REQUEST_KIND_REBINDING_VALUE)
        .string(dhcp.getMac())
        .string(dhcp.getClientId())
        .string(dhcp.getIp())
        .string(dhcp.getClientAddress())
        .string(dhcp.getHostname())
        .string(dhcp.getServer())
        .string(dhcp.getRelay())
        .string(dhcp.getCircuitId())
        .string(dhcp.getRemoteId())
        .nullableUint32(dhcp.hasLeaseSeconds(), dhcp.getLeaseSeconds())
        .nullableUint32(dhcp.hasRenewalSeconds(), dhcp.getRenewalSeconds())
        .nullableUint32(dhcp.hasRebindingSeconds(), dhcp.getRebindingSeconds())
        .bool(dhcp.getIsBroadcast())
        .uint32(dhcp.getTransactionId())
        .uint32(dhcp.getElapsedSeconds())
        .string(dhcp.getFingerprint())
        .string(dhcp.getVendorClass())
        .string(dhcp.getRouter())
        .uint8(dhcp.getPrefixLength())
        .string(dhcp.getInterface())
        .string(dhcp.getDetail());
  }

  private static boolean isMessageType(int number) {
    return number != 0 && Dhcp.MessageType.forNumber(number) != null;
  }
}
