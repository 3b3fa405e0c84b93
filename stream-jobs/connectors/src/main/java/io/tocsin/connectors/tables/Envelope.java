package io.tocsin.connectors.tables;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EventColumns;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The columns that every event table has: what the agent knew before it looked into the bytes. */
final class Envelope {
  private Envelope() {}

  static List<String> columnsAnd(List<String> bodyColumns) {
    return columns("event_id", Stream.concat(Stream.of("raw"), bodyColumns.stream()));
  }

  /**
   * The same for a table that is lean: it computes event_id and raw from what is stored, where that
   * can be done.
   */
  static List<String> leanColumnsAnd(List<String> bodyColumns) {
    return columns(
        "given_event_id",
        Stream.concat(
            Stream.of("raw_header", "raw_trailer", "message_in_raw"), bodyColumns.stream()));
  }

  static NativeWriter encode(Event event, NativeWriter row) {
    return encodeSource(event, row.string(event.getEventId())).string(event.getRaw());
  }

  /**
   * A row of a lean table.
   *
   * @param message that raw is expected to hold
   */
  static NativeWriter encodeLean(Event event, ByteString message, NativeWriter row) {
    RawBytes raw = RawBytes.around(message, event.getRaw());
    return encodeSource(event, row.string(givenEventId(event)))
        .string(raw.header())
        .string(raw.trailer())
        .bool(raw.holdsMessage());
  }

  private static String givenEventId(Event event) {
    String made =
        event.getAgentId()
            + '-'
            + Long.toHexString(event.getBootId())
            + '-'
            + Long.toUnsignedString(event.getSequence());
    return made.equals(event.getEventId()) ? "" : event.getEventId();
  }

  private static List<String> columns(String first, Stream<String> last) {
    return Stream.of(Stream.of(first), EventColumns.ENVELOPE.stream(), last)
        .flatMap(Function.identity())
        .toList();
  }

  private static NativeWriter encodeSource(Event event, NativeWriter row) {
    return row.string(event.getAgentId())
        .uint64(event.getBootId())
        .uint64(event.getSequence())
        .string(event.getListener())
        .dateTime64Nanos(event.getReceivedAtUnixNanos())
        .dateTime64Nanos(event.getEventTimeUnixNanos())
        .ipv6(event.getSourceIp())
        .string(event.getDevice())
        .string(event.getSite())
        .string(event.getRole());
  }
}
