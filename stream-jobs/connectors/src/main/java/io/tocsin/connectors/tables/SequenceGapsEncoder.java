package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.RowBinaryWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SequenceGap;
import java.util.List;

/** Events with a gap in a sender's numbers to table {@code sequence_gaps}. */
final class SequenceGapsEncoder implements RowEncoder<Event> {
  private static final List<String> COLUMNS =
      Envelope.columnsAnd("last_before", "first_after", "missing");

  @Override
  public String table() {
    return "sequence_gaps";
  }

  @Override
  public List<String> columns() {
    return COLUMNS;
  }

  @Override
  public void encode(Event event, RowBinaryWriter row) {
    SequenceGap gap = event.getSequenceGap();
    Envelope.encode(event, row)
        .uint64(gap.getLastBefore())
        .uint64(gap.getFirstAfter())
        .uint64(gap.getMissing());
  }
}
