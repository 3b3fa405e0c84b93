package io.tocsin.connectors.clickhouse;

import java.util.List;
import java.util.function.Consumer;

/** The bytes that a server would get. */
public final class EncodedRows {
  private EncodedRows() {}

  /** A row for each element. */
  @SafeVarargs
  public static <T> byte[] of(RowEncoder<T> encoder, T... elements) {
    NativeWriter rows = new NativeWriter();
    for (T element : elements) {
      encoder.encode(element, rows);
      rows.endRow();
    }
    return rows.toByteArray(encoder.columns());
  }

  /** One row. */
  public static byte[] of(List<String> columns, Consumer<NativeWriter> write) {
    NativeWriter row = new NativeWriter();
    write.accept(row);
    row.endRow();
    return row.toByteArray(columns);
  }
}
