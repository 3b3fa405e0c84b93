package io.tocsin.connectors.tables;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.events.v1.Event;
import java.io.IOException;

/**
 * Events of groups of agents: the first of each message to the table that every other event of its
 * kind goes to, its copies to {@code duplicates}.
 */
public final class CopiesTables implements TableRouter<Judged> {
  private static final String EVENT_TOPICS = "events-";

  private final ArchiveTables tables = new ArchiveTables();
  private final DuplicatesEncoder duplicates = new DuplicatesEncoder();

  /**
   * Whether a record has an event of a group. Looks at the numbers of its fields only, because
   * every record is asked.
   */
  public static boolean concern(TopicRecord record) {
    if (!record.topic().startsWith(EVENT_TOPICS)) {
      return false;
    }
    CodedInputStream fields = CodedInputStream.newInstance(record.value());
    try {
      int tag = fields.readTag();
      while (tag != 0) {
        int number = WireFormat.getTagFieldNumber(tag);
        if (number == Event.COPIES_FIELD_NUMBER) {
          // What cannot be read is a reject, on the way of all others.
          return Event.parseFrom(record.value()).hasCopies();
        }
        if (!fields.skipField(tag)) {
          return false;
        }
        tag = fields.readTag();
      }
    } catch (IOException e) {
      return false;
    }
    return false;
  }

  /** The event of a record that {@link #concern concerns} a group. */
  public static Event eventOf(TopicRecord record) {
    try {
      return Event.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("no event of a group: " + record.place(), e);
    }
  }

  @Override
  public Row<?> rowOf(Judged judged) {
    TopicRecord record = judged.record();
    if (judged.keptEventId().isEmpty()) {
      return tables.rowOf(record);
    }
    Event event = eventOf(record);
    return new Row<>(new Duplicate(event, judged.keptEventId()), duplicates)
        .from(Origins.of(record, event), record.offset());
  }

  @Override
  public Row<?> rejectOf(Judged judged, String detail) {
    return tables.rejectOf(judged.record(), detail);
  }
}
