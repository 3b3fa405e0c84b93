package io.tocsin.connectors.tables;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RawBytesTest {
  @ParameterizedTest
  @CsvSource({
    "<30>core-1: bgp down, bgp down, '<30>core-1: ', '', true",
    "'<30>core-1: bgp down\r\n', bgp down, '<30>core-1: ', '\r\n', true",
    "'<30>bgp down\n', 'bgp down\n', <30>, '', true",
    "<30>core-1:, '', <30>core-1:, '', true",
    "<30>bgp down and more, bgp down, <30>bgp down and more, '', false",
    "down, bgp down, down, '', false",
    "'', '', '', '', true",
  })
  void messageIsCutOut(String raw, String message, String header, String trailer, boolean isHeld) {
    RawBytes cut = RawBytes.around(bytes(message), bytes(raw));

    assertThat(cut).isEqualTo(new RawBytes(bytes(header), bytes(trailer), isHeld));
  }

  @Test
  void anyBytesCanBePutTogetherAgain() {
    Random random = new Random(42);
    for (int i = 0; i < 10_000; i++) {
      ByteString raw = drawn(random, 6);
      ByteString message = drawn(random, 4);

      RawBytes cut = RawBytes.around(message, raw);

      ByteString held = cut.holdsMessage() ? message : ByteString.EMPTY;
      assertThat(cut.header().concat(held).concat(cut.trailer())).isEqualTo(raw);
    }
  }

  /** Of two different bytes, so that one is often found in the other. */
  private static ByteString drawn(Random random, int atMost) {
    byte[] bytes = new byte[random.nextInt(atMost + 1)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextBoolean() ? 0xff : 'a');
    }
    return ByteString.copyFrom(bytes);
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
