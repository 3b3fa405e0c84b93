package io.tocsin.connectors.clickhouse;

import java.io.Serializable;
import java.util.List;

/**
 * How an element becomes a row of one table. One class a table; the columns it names are the
 * contract, so a column that the table grows later takes its default until the encoder writes it.
 *
 * @param <T> element
 */
public abstract class RowEncoder<T> implements Serializable {
  private final String table;
  private final List<String> columns;

  /**
   * An encoder.
   *
   * @param table in database {@code tocsin}
   * @param columns in the order in which {@link #encode} writes them
   */
  protected RowEncoder(String table, List<String> columns) {
    this.table = table;
    this.columns = List.copyOf(columns);
  }

  /** Table in database {@code tocsin}. */
  public final String table() {
    return table;
  }

  /** Columns in the order in which {@link #encode} writes them. */
  public final List<String> columns() {
    return columns;
  }

  /**
   * Whether somebody waits for these rows, so that each checkpoint takes them. An insert costs the
   * server the same however few rows it has, so those of other tables wait for some more.
   */
  public boolean isAwaited() {
    return false;
  }

  /**
   * Writes one row.
   *
   * @throws IllegalArgumentException where the element holds a value that the table cannot: its
   *     message becomes the reject's detail
   */
  public abstract void encode(T element, NativeWriter row);
}
