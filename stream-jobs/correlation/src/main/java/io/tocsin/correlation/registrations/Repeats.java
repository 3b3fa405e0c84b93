package io.tocsin.correlation.registrations;

import java.time.Duration;
import java.util.List;

/**
 * Which messages are one message, told more than once: by a relay's copy, a capture and a server's
 * log, or sent again by the client.
 *
 * <p>Two are the same where they do the same, lie within the window, agree on the transaction as
 * far as both tell one (a log does not), and agree on the address and, on the wire, on the server.
 * The earliest of them counts, so the messages of an exchange keep their order even where one path
 * is slower than another.
 */
final class Repeats {
  private final long windowNanos;

  Repeats(Duration window) {
    this.windowNanos = window.toNanos();
  }

  long windowNanos() {
    return windowNanos;
  }

  /** Whether both tell of one message. */
  boolean areSame(DhcpMessage one, DhcpMessage other) {
    return Math.abs(one.timeUnixNanos() - other.timeUnixNanos()) <= windowNanos
        && one.verb().mayBe(other.verb())
        && agree(one.transactionId(), other.transactionId())
        && (one.verb() == Verb.DISCOVER || agree(one.ip(), other.ip()))
        && (one.isLogged() || other.isLogged() || agree(one.server(), other.server()));
  }

  /** Whether a message repeats one of those before it that were no repeats themselves. */
  boolean isRepeat(DhcpMessage message, List<DhcpMessage> handled) {
    for (int i = handled.size() - 1; i >= 0; i--) {
      if (areSame(handled.get(i), message)) {
        return true;
      }
    }
    return false;
  }

  private static boolean agree(int one, int other) {
    return one == 0 || other == 0 || one == other;
  }

  private static boolean agree(String one, String other) {
    return one.isEmpty() || other.isEmpty() || one.equals(other);
  }
}
