package io.tocsin.correlation.registrations;

import java.time.Duration;
import java.util.ArrayList;
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
  /** By how much one path may be slower than another, so that an answer overtakes its question. */
  private static final long SKEW_NANOS = 1_000_000_000L;

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

  /**
   * Those of a client's messages that are no repeats, in their order. A message repeats one that
   * was handled before it, unless the client has begun anew in between: some clients use one
   * transaction for ever.
   *
   * @param messages in order
   * @param known how many of the first are known to be no repeats
   */
  List<DhcpMessage> handled(List<DhcpMessage> messages, int known) {
    List<DhcpMessage> handled = new ArrayList<>(messages.subList(0, known));
    for (DhcpMessage message : messages.subList(known, messages.size())) {
      if (!isRepeat(message, handled)) {
        handled.add(message);
      }
    }
    return handled;
  }

  /** Whether a message repeats one of those before it that were no repeats themselves. */
  boolean isRepeat(DhcpMessage message, List<DhcpMessage> handled) {
    for (int i = handled.size() - 1; i >= 0; i--) {
      DhcpMessage before = handled.get(i);
      if (areSame(before, message)) {
        return true;
      }
      if (beginsAnew(before, message)) {
        return false;
      }
    }
    return false;
  }

  /** Whether what is older than {@code before} belongs to another exchange than the message. */
  private static boolean beginsAnew(DhcpMessage before, DhcpMessage message) {
    return switch (message.verb()) {
      case OFFER -> before.verb() == Verb.DISCOVER;
      case ACK, NAK -> before.verb().isRequest();
      default ->
          before.verb().isEnd() && message.timeUnixNanos() - before.timeUnixNanos() > SKEW_NANOS;
    };
  }

  private static boolean agree(int one, int other) {
    return one == 0 || other == 0 || one == other;
  }

  private static boolean agree(String one, String other) {
    return one.isEmpty() || other.isEmpty() || one.equals(other);
  }
}
