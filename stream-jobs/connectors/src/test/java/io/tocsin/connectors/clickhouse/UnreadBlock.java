package io.tocsin.connectors.clickhouse;

import com.clickhouse.data.ClickHouseFormat;
import java.util.List;

/** Blocks for what never looks into them. */
final class UnreadBlock {
  private UnreadBlock() {}

  static Block of(String table, String token, int rows, byte[] zstdRows) {
    return new Block(
        table, List.of("message"), rows, ClickHouseFormat.Native, zstdRows, token, List.of());
  }
}
