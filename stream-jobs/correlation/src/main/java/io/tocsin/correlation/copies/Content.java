package io.tocsin.correlation.copies;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.tocsin.events.v1.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What a device said: what was read of its bytes, and its own time where it told one. Not the bytes
 * as received: of a list of updates only the first has them, and those of a trap have numbers that
 * differ from way to way.
 *
 * @param bytes the same for the same content
 */
record Content(byte[] bytes) {
  private static final OneofDescriptor BODY = Event.getDescriptor().getOneofs().get(0);

  /** Half of SHA-256: whatever strangers send, no two contents have one. */
  private static final int HASH_BYTES = 16;

  static Content of(Event event) {
    Message body = (Message) event.getField(event.getOneofFieldDescriptor(BODY));
    int bodyBytes = body.getSerializedSize();
    byte[] bytes = new byte[Integer.BYTES + Long.BYTES + bodyBytes];
    ByteBuffer.wrap(bytes).putInt(event.getBodyCase().getNumber()).putLong(sendersTime(event));
    CodedOutputStream out =
        CodedOutputStream.newInstance(bytes, bytes.length - bodyBytes, bodyBytes);
    // Maps have no order of their own.
    out.useDeterministicSerialization();
    try {
      body.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return new Content(bytes);
  }

  /** 0 where the sender gave none and the time of reception stands in, which differs. */
  private static long sendersTime(Event event) {
    long time = event.getEventTimeUnixNanos();
    return time == event.getReceivedAtUnixNanos() ? 0 : time;
  }

  String hash() {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
