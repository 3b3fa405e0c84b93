package io.tocsin.connectors.tables;

import com.google.protobuf.ByteString;

/**
 * The bytes as received, cut where the message stands in them, so that it is stored once. {@code
 * raw} is header, message where it is held, and trailer, one after the other.
 *
 * @param header what stands before the message; everything where the message is not held
 * @param trailer what stands after it: the line break or NUL that some senders end with
 * @param holdsMessage whether the message stands in the bytes as it was read. It does not where
 *     bytes that are not UTF-8 were replaced, for example
 */
record RawBytes(ByteString header, ByteString trailer, boolean holdsMessage) {
  /** CR, LF and NUL; a message that stands further from the end was made of the bytes otherwise. */
  private static final int LONGEST_TRAILER_BYTES = 3;

  static RawBytes around(ByteString message, ByteString raw) {
    for (int trailer = 0; trailer <= LONGEST_TRAILER_BYTES; trailer++) {
      int end = raw.size() - trailer;
      int start = end - message.size();
      if (start < 0) {
        break;
      }
      if (raw.substring(start, end).equals(message)) {
        return new RawBytes(raw.substring(0, start), raw.substring(end), true);
      }
    }
    return new RawBytes(raw, ByteString.EMPTY, false);
  }
}
