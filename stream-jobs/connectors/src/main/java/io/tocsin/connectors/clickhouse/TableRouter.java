package io.tocsin.connectors.clickhouse;

import io.tocsin.events.v1.Event;
import java.io.Serializable;

/**
 * Which table an element belongs to, and what is left of it when it fits none.
 *
 * @param <T> element
 */
public interface TableRouter<T> extends Serializable {
  /**
   * The encoder for an element.
   *
   * @throws IllegalArgumentException where no table takes it: its message becomes the reject's
   *     detail
   */
  RowEncoder<T> encoderFor(T element);

  /**
   * An event with a reject as its body, holding the element's bytes. It must not throw: it is the
   * last way out.
   */
  Event rejectOf(T element, String detail);
}
