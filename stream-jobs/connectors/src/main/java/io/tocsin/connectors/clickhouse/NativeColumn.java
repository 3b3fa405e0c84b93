package io.tocsin.connectors.clickhouse;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Values of one column, one after the other, and where the row began that is being written. An
 * array's values are the numbers of elements up to its end, and its elements are rows of their own;
 * a map is an array of keys and values.
 */
final class NativeColumn {
  static final String ARRAY = "Array";

  private static final int INITIAL_BYTES = 64;

  private final String type;

  /** A byte for each value: whether it is NULL. No bytes where none can be. */
  private final NativeColumn nulls;

  private final NativeWriter elements;
  private ByteBuffer values = ByteBuffer.allocate(INITIAL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int mark;

  private NativeColumn(String type, NativeColumn nulls, NativeWriter elements) {
    this.type = type;
    this.nulls = nulls;
    this.elements = elements;
  }

  /** Of a type whose values are bytes one after the other. */
  static NativeColumn of(String type) {
    return new NativeColumn(type, null, null);
  }

  /** Of a Nullable type, by its full name. */
  static NativeColumn nullable(String type) {
    return new NativeColumn(type, of("UInt8"), null);
  }

  /** Of a type whose values have elements: {@link #ARRAY}, or a map by its full name. */
  static NativeColumn composite(String type) {
    return new NativeColumn(type, null, new NativeWriter());
  }

  /** The type that it was made with. */
  String type() {
    return type;
  }

  NativeColumn nulls() {
    return nulls;
  }

  NativeWriter elements() {
    return elements;
  }

  /** Its type as ClickHouse reads it. */
  String fullType() {
    return type.equals(ARRAY) ? "Array(" + elements.rowType() + ")" : type;
  }

  /** Room for some bytes, at the place of the next value. */
  ByteBuffer room(int bytes) {
    if (values.remaining() < bytes) {
      int capacity = Math.max(values.capacity() * 2, Math.addExact(values.position(), bytes));
      values =
          ByteBuffer.wrap(Arrays.copyOf(values.array(), capacity))
              .order(ByteOrder.LITTLE_ENDIAN)
              .position(values.position());
    }
    return values;
  }

  /** What is written so far stays; so many bytes it is. */
  int mark() {
    mark = values.position();
    return mark + (nulls == null ? 0 : nulls.mark()) + (elements == null ? 0 : elements.mark());
  }

  /** Back to what was marked. */
  void reset() {
    values.position(mark);
    if (nulls != null) {
      nulls.reset();
    }
    if (elements != null) {
      elements.reset();
    }
  }

  /** Forgets all values. */
  void clear() {
    mark = 0;
    values.position(0);
    if (nulls != null) {
      nulls.clear();
    }
    if (elements != null) {
      elements.clear();
    }
  }

  void writeTo(ByteArrayOutputStream out) {
    if (nulls != null) {
      nulls.writeTo(out);
    }
    out.write(values.array(), 0, values.position());
    if (elements != null) {
      elements.writeColumnsTo(out);
    }
  }
}
