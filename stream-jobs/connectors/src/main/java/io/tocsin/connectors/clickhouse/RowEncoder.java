package io.tocsin.connectors.clickhouse;

import java.io.Serializable;
import java.util.List;

/**
 * How an element becomes a row of one table. One class a table; the columns it names are the
 * contract, so a column that the table grows later takes its default until the encoder writes it.
 *
 * @param <T> element
 */
public interface RowEncoder<T> extends Serializable {
  /** Table in database {@code tocsin}. */
  String table();

  /** Columns in the order in which {@link #encode} writes them. */
  List<String> columns();

  /**
   * Writes one row.
   *
   * @throws IllegalArgumentException where the element holds a value that the table cannot: its
   *     message becomes the reject's detail
   */
  void encode(T element, RowBinaryWriter row);
}
