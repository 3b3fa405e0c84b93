package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.events.v1.Event;
import java.util.List;

/**
 * A table that takes every element of its kind; what does not fit goes to {@code rejects}.
 *
 * @param <T> element
 */
abstract class SingleTable<T> extends RowEncoder<T> implements TableRouter<T> {
  private final RowEncoder<Event> rejects = new RejectsEncoder();

  SingleTable(String table, List<String> columns) {
    super(table, columns);
  }

  @Override
  public final RowEncoder<T> encoderFor(T element) {
    return this;
  }

  @Override
  public final Row<Event> rejectOf(T element, String detail) {
    return new Row<>(reject(element, detail), rejects);
  }

  /** The event that says why an element is not stored. */
  abstract Event reject(T element, String detail);
}
