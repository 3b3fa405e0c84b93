package io.tocsin.connectors.tables;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import io.tocsin.model.EventColumns;

/** Events with a syslog message to table {@code syslog}. */
final class SyslogEncoder extends RowEncoder<Event> {
  private static final int LAST_FACILITY = 23;
  private static final int LAST_SEVERITY = 7;

  SyslogEncoder() {
    super("syslog", Envelope.leanColumnsAnd(EventColumns.SYSLOG));
  }

  @Override
  public boolean isAwaited() {
    return true;
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    Syslog syslog = event.getSyslog();
    ByteString message = syslog.getMessageBytes();
    Envelope.encodeLean(event, message, row)
        .enum8("facility", syslog.getFacility(), 0, LAST_FACILITY)
        .enum8("severity", syslog.getSeverity(), 0, LAST_SEVERITY)
        .string(syslog.getAppName())
        .string(syslog.getProcId())
        .string(syslog.getMsgId())
        .stringMap(syslog.getStructuredDataMap())
        .string(message)
        .nullableUint64(syslog.hasSequence(), syslog.getSequence());
  }
}
