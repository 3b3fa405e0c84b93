package io.tocsin.rules.history;

import io.tocsin.events.v1.Event;
import io.tocsin.model.EventColumns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of events: the columns that make an event again, and how they do.
 *
 * @param name in database {@code tocsin}
 * @param columns of the body, in the order in which they are read
 * @param body reads them
 */
record EventTable(String name, List<String> columns, Body body) {
  /** Reads a body into an event. */
  interface Body {
    void read(RowBinaryReader row, Event.Builder event) throws IOException;
  }

  /**
   * What is asked for, in the order in which {@link #read} takes it.
   *
   * @param withRaw false asks for no bytes as received: a replay needs none, and they are most of a
   *     row
   */
  String select(boolean withRaw, String where) {
    List<String> all = new ArrayList<>();
    all.add("event_id");
    all.addAll(EventColumns.ENVELOPE);
    all.add(withRaw ? "raw" : "''");
    columns.forEach(column -> all.add('`' + column + '`'));
    return "SELECT "
        + String.join(", ", all)
        + " FROM tocsin."
        + name
        + " WHERE "
        + where
        + " ORDER BY received_at, agent_id, boot_id, agent_sequence FORMAT RowBinary";
  }

  Event read(RowBinaryReader row) throws IOException {
    Event.Builder event =
        Event.newBuilder()
            .setEventId(row.string())
            .setAgentId(row.string())
            .setBootId(row.int64())
            .setSequence(row.int64())
            .setListener(row.string())
            .setReceivedAtUnixNanos(row.int64())
            .setEventTimeUnixNanos(row.int64())
            .setSourceIp(row.ipv6())
            .setDevice(row.string())
            .setSite(row.string())
            .setRole(row.string())
            .setRaw(row.bytes());
    body.read(row, event);
    return event.build();
  }
}
