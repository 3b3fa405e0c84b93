package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import java.util.List;

/** What another agent had told before to table {@code duplicates}. */
final class DuplicatesEncoder extends RowEncoder<Duplicate> {
  DuplicatesEncoder() {
    super(
        "duplicates",
        List.of(
            "event_id",
            "agent_id",
            "boot_id",
            "agent_sequence",
            "listener",
            "received_at",
            "device",
            "site",
            "copies_group",
            "kept_event_id"));
  }

  @Override
  public void encode(Duplicate duplicate, NativeWriter row) {
    Event event = duplicate.event();
    row.string(event.getEventId())
        .string(event.getAgentId())
        .uint64(event.getBootId())
        .uint64(event.getSequence())
        .string(event.getListener())
        .dateTime64Nanos(event.getReceivedAtUnixNanos())
        .string(event.getDevice())
        .string(event.getSite())
        .string(event.getCopies().getGroup())
        .string(duplicate.keptEventId());
  }
}
