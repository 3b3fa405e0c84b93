package io.tocsin.connectors.clickhouse;

import com.github.luben.zstd.Zstd;
import java.util.List;
import java.util.UUID;

/** Collects the rows of one table until they are sealed into a {@link Block}. */
final class BlockBuilder {
  /**
   * Fastest level that still shrinks syslog to about a fifth; ClickHouse compresses for itself
   * later.
   */
  private static final int ZSTD_LEVEL = 1;

  private static final int INITIAL_BYTES = 1 << 16;

  private final String table;
  private final List<String> columns;
  private RowBinaryWriter rowBinary = new RowBinaryWriter(INITIAL_BYTES);
  private int rows;

  BlockBuilder(RowEncoder<?> encoder) {
    this.table = encoder.table();
    this.columns = encoder.columns();
  }

  /** Adds a row, or throws what the encoder throws and holds the same rows as before. */
  <T> void add(T element, RowEncoder<T> encoder) {
    int sizeBefore = rowBinary.size();
    try {
      encoder.encode(element, rowBinary);
      rows++;
    } catch (RuntimeException e) {
      rowBinary.truncate(sizeBefore);
      throw e;
    }
  }

  int rows() {
    return rows;
  }

  int bytes() {
    return rowBinary.size();
  }

  /** Takes the rows out as a block with a token of its own. */
  Block seal() {
    byte[] compressed = Zstd.compress(rowBinary.toByteArray(), ZSTD_LEVEL);
    Block block = new Block(table, columns, rows, compressed, UUID.randomUUID().toString());
    rowBinary = new RowBinaryWriter(INITIAL_BYTES);
    rows = 0;
    return block;
  }
}
