package io.tocsin.rules.history;

import com.google.protobuf.ByteString;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads rows of ClickHouse's format RowBinary, column by column. */
final class RowBinaryReader implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int IPV6_BYTES = 16;

  /** No text of a table is longer; a length beyond it is an error's text that is taken for rows. */
  private static final int LONGEST_STRING = 64 << 20;

  private final BufferedInputStream buffer;
  private final DataInputStream in;

  RowBinaryReader(InputStream stream) {
    buffer = new BufferedInputStream(stream, BUFFER_BYTES);
    in = new DataInputStream(buffer);
  }

  /** Whether another row follows. */
  boolean hasNext() throws IOException {
    buffer.mark(1);
    int next = buffer.read();
    buffer.reset();
    return next >= 0;
  }

  String string() throws IOException {
    return bytes().toStringUtf8();
  }

  ByteString bytes() throws IOException {
    int length = length();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the answer ends amid a row");
    }
    return ByteString.copyFrom(bytes);
  }

  private int length() throws IOException {
    long length = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += 7) {
      int next = in.readUnsignedByte();
      length |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        break;
      }
    }
    if (length > LONGEST_STRING) {
      throw new IOException("the answer is no row: a text of " + length + " bytes");
    }
    return (int) length;
  }

  /** UInt64, Int64 and DateTime64. */
  long int64() throws IOException {
    return Long.reverseBytes(in.readLong());
  }

  int int32() throws IOException {
    return Integer.reverseBytes(in.readInt());
  }

  int int16() throws IOException {
    return Short.reverseBytes(in.readShort());
  }

  int int8() throws IOException {
    return in.readByte();
  }

  int uint8() throws IOException {
    return in.readUnsignedByte();
  }

  boolean bool() throws IOException {
    return in.readByte() != 0;
  }

  double float64() throws IOException {
    return Double.longBitsToDouble(int64());
  }

  OptionalDouble nullableFloat64() throws IOException {
    return bool() ? OptionalDouble.empty() : OptionalDouble.of(float64());
  }

  OptionalLong nullableInt64() throws IOException {
    return bool() ? OptionalLong.empty() : OptionalLong.of(int64());
  }

  OptionalLong nullableInt32() throws IOException {
    return bool() ? OptionalLong.empty() : OptionalLong.of(int32());
  }

  /** The address in network order; nothing for the unspecified one. */
  ByteString ipv6() throws IOException {
    byte[] address = in.readNBytes(IPV6_BYTES);
    for (byte each : address) {
      if (each != 0) {
        return ByteString.copyFrom(address);
      }
    }
    return ByteString.EMPTY;
  }

  Map<String, String> stringMap() throws IOException {
    Map<String, String> map = new LinkedHashMap<>();
    for (int left = length(); left > 0; left--) {
      map.put(string(), string());
    }
    return map;
  }

  List<String> stringArray() throws IOException {
    List<String> array = new ArrayList<>();
    for (int left = length(); left > 0; left--) {
      array.add(string());
    }
    return array;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
