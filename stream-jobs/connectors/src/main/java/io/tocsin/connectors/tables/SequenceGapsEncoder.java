package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SequenceGap;
import io.tocsin.model.EventColumns;

/** Events with a gap in a sender's numbers to table {@code sequence_gaps}. */
final class SequenceGapsEncoder extends RowEncoder<Event> {
  SequenceGapsEncoder() {
    super("sequence_gaps", Envelope.columnsAnd(EventColumns.SEQUENCE_GAPS));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    SequenceGap gap = event.getSequenceGap();
    Envelope.encode(event, row)
        .uint64(gap.getLastBefore())
        .uint64(gap.getFirstAfter())
        .uint64(gap.getMissing());
  }
}
