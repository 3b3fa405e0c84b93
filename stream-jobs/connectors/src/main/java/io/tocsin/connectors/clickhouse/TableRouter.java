package io.tocsin.connectors.clickhouse;

import java.io.Serializable;

/**
 * Which row of which table an element becomes, and what is left of it when it fits none.
 *
 * @param <T> element
 */
public interface TableRouter<T> extends Serializable {
  /** Whether an element is to be stored at all; what cannot be read is, as a reject. */
  default boolean stores(T element) {
    return true;
  }

  /**
   * The row that an element becomes, and the table that takes it.
   *
   * @throws IllegalArgumentException where no table takes it: its message becomes the reject's
   *     detail
   */
  Row<?> rowOf(T element);

  /**
   * The row that is stored in place of an element that fits no table, with its bytes and why. It
   * must not throw, nor may its encoder: it is the last way out.
   */
  Row<?> rejectOf(T element, String detail);

  /**
   * A row to be.
   *
   * @param <E> element
   * @param origin where it comes from
   * @param offset of its record in the partition
   */
  record Row<E>(E element, RowEncoder<E> encoder, Origin origin, long offset) {
    /** A row whose origin nobody asks for. */
    public Row(E element, RowEncoder<E> encoder) {
      this(element, encoder, Origin.UNKNOWN, 0);
    }

    /** The same row, with its origin. */
    public Row<E> from(Origin place, long placeOffset) {
      return new Row<>(element, encoder, place, placeOffset);
    }
  }
}
