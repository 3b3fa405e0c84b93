package io.tocsin.connectors.clickhouse;

import com.clickhouse.data.ClickHouseFormat;
import java.util.List;

/**
 * Rows of one table that are inserted together or not at all: what travels from the writer through
 * the checkpoint to the committer.
 *
 * @param table in database {@code tocsin}
 * @param columns that each row has, in order
 * @param rows how many there are
 * @param format of the rows
 * @param zstdRows the rows in that format, compressed by zstd
 * @param deduplicationToken tells this block from every other; the same whenever the insert is
 *     repeated
 * @param origins where the rows come from, for the quarantine
 */
public record Block(
    String table,
    List<String> columns,
    int rows,
    ClickHouseFormat format,
    byte[] zstdRows,
    String deduplicationToken,
    List<Origin.Stretch> origins) {

  /** The block without its bytes, for logs and errors. */
  @Override
  public String toString() {
    return "block " + deduplicationToken + " of " + rows + " rows for tocsin." + table;
  }
}
