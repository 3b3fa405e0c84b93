package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.RowBinaryWriter;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.stream.Stream;

/** The columns that every event table has: what the agent knew before it looked into the bytes. */
final class Envelope {
  private static final List<String> COLUMNS =
      List.of(
          "event_id",
          "agent_id",
          "boot_id",
          "agent_sequence",
          "listener",
          "received_at",
          "event_time",
          "source_ip",
          "device",
          "site",
          "raw");

  private Envelope() {}

  static List<String> columnsAnd(String... bodyColumns) {
    return Stream.concat(COLUMNS.stream(), Stream.of(bodyColumns)).toList();
  }

  static RowBinaryWriter encode(Event event, RowBinaryWriter row) {
    return row.string(event.getEventId())
        .string(event.getAgentId())
        .uint64(event.getBootId())
        .uint64(event.getSequence())
        .string(event.getListener())
        .dateTime64Nanos(event.getReceivedAtUnixNanos())
        .dateTime64Nanos(event.getEventTimeUnixNanos())
        .ipv6(event.getSourceIp())
        .string(event.getDevice())
        .string(event.getSite())
        .string(event.getRaw());
  }
}
