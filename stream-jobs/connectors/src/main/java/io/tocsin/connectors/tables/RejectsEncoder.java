package io.tocsin.connectors.tables;

import com.google.protobuf.ProtocolMessageEnum;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EnumWords;
import io.tocsin.rejects.v1.Reject;
import java.util.List;

/** Events with a reject to table {@code rejects}. Nothing is refused here. */
final class RejectsEncoder extends RowEncoder<Event> {

  /** For a stage or reason of an agent newer than this build. */
  private static final String UNKNOWN_WORD = "unknown";

  RejectsEncoder() {
    super("rejects", Envelope.columnsAnd(List.of("stage", "reason", "detail", "original_bytes")));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    Reject reject = event.getReject();
    Envelope.encode(event, row)
        .string(word(reject.getStage()))
        .string(word(reject.getReason()))
        .string(reject.getDetail())
        .uint64(reject.getOriginalBytes());
  }

  private static String word(ProtocolMessageEnum value) {
    return EnumWords.isSpecified(value) ? EnumWords.wordOf(value) : UNKNOWN_WORD;
  }
}
