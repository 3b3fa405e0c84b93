package io.tocsin.connectors.clickhouse;

import com.google.protobuf.UnsafeByteOperations;
import java.util.List;

/**
 * Where a refused block waits for an operator: table {@code quarantined_blocks}, one row a block,
 * with its bytes as they were to be inserted.
 *
 * <p>The block stays whole. What a value can do to a row an encoder has refused before, so what a
 * server refuses is the table: a column that is gone, a constraint, a view that throws. Taking a
 * block apart to save the rows that pass would be many inserts for each row that does not, while
 * all other tables wait.
 */
final class Quarantine {
  static final String TABLE = "quarantined_blocks";

  /** Of the server's words; they may quote a row. */
  private static final int LONGEST_ERROR = 10_000;

  private static final Encoder ENCODER = new Encoder();

  private Quarantine() {}

  /**
   * The row in the quarantine, as a block of its own: with the token of the refused one, so that a
   * repeat is stored once.
   *
   * @param error what the server said
   * @param isStored whether the table has the rows, and a view behind it refused them
   */
  static Block of(Block refused, String error, boolean isStored) {
    BlockBuilder builder = new BlockBuilder(ENCODER);
    builder.add(new Refusal(refused, error, isStored), ENCODER);
    Block row = builder.seal();
    return new Block(
        TABLE,
        row.columns(),
        row.rows(),
        row.format(),
        row.zstdRows(),
        refused.deduplicationToken(),
        List.of());
  }

  private record Refusal(Block block, String error, boolean isStored) {}

  private static final class Encoder extends RowEncoder<Refusal> {
    Encoder() {
      super(
          TABLE,
          List.of(
              "token",
              "table",
              "columns",
              "rows",
              "bytes",
              "is_stored",
              "error",
              "origins",
              "format",
              "zstd_rows"));
    }

    @Override
    public void encode(Refusal refusal, NativeWriter row) {
      Block block = refusal.block();
      String error = refusal.error();
      row.string(block.deduplicationToken())
          .string(block.table())
          .stringArray(block.columns())
          .uint64(block.rows())
          .uint64(block.zstdRows().length)
          .bool(refusal.isStored())
          .string(error.substring(0, Math.min(error.length(), LONGEST_ERROR)))
          .array(block.origins(), Encoder::encode)
          .string(block.format().name())
          .string(UnsafeByteOperations.unsafeWrap(block.zstdRows()));
    }

    private static void encode(Origin.Stretch stretch, NativeWriter row) {
      Origin origin = stretch.origin();
      row.string(origin.topic())
          .uint32(origin.partition())
          .uint64(stretch.firstOffset())
          .uint64(stretch.lastOffset())
          .string(origin.agentId())
          .uint64(origin.bootId())
          .string(origin.listener())
          .uint64(stretch.rows());
    }
  }
}
