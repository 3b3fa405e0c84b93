package io.tocsin.correlation.registrations;

import java.util.List;
import java.util.function.Predicate;

/**
 * Lines of a server's log that wait for the wire.
 *
 * <p>A line is often faster than a capture, which hands over a block at a time, and tells of a
 * request but not of which: taken at once, a rebind would stand in the history as a renewal. So
 * where the wire is heard, a request of a client with a lease waits until the stream has reached
 * its time, and so do the lines behind it. What the wire shows goes first.
 */
final class WaitingLines {
  private final MessageFold messages;
  private final Repeats repeats;

  WaitingLines(MessageFold messages, Repeats repeats) {
    this.messages = messages;
    this.repeats = repeats;
  }

  /**
   * Whether a message has to wait: for what the wire has not shown yet, or behind one that does.
   */
  boolean mustWait(TrackedClient tracked, Client client, DhcpMessage message) {
    int waiting = tracked.waiting.size();
    boolean mayWait =
        message.isLogged() && tracked.isOnTheWire && waiting < MessageFold.MAX_MESSAGES;
    return mayWait && (waiting > 0 || isOpen(tracked, client, message));
  }

  private boolean isOpen(TrackedClient tracked, Client client, DhcpMessage message) {
    if (message.verb() != Verb.REQUEST || !client.isLeased()) {
      return false;
    }
    TrackedClient tried = tracked.copy();
    messages.insert(tried, message);
    return messages.isFirstOfItsKind(tried, message);
  }

  /** Those that a message of the wire does not repeat, though it follows them in an exchange. */
  List<DhcpMessage> before(TrackedClient tracked, DhcpMessage message) {
    return those(
        tracked,
        line -> !repeats.areSame(line, message) && line.verb().compareTo(message.verb()) < 0);
  }

  /** Those that tell of the message too. */
  List<DhcpMessage> repeating(TrackedClient tracked, DhcpMessage message) {
    return those(tracked, line -> repeats.areSame(line, message));
  }

  /** Those whose time the stream has reached. */
  static List<DhcpMessage> due(TrackedClient tracked, long nowUnixNanos) {
    return those(tracked, line -> line.timeUnixNanos() <= nowUnixNanos);
  }

  private static List<DhcpMessage> those(TrackedClient tracked, Predicate<DhcpMessage> isMeant) {
    if (tracked.waiting.isEmpty()) {
      return List.of();
    }
    return tracked.waiting.stream().filter(isMeant).sorted(DhcpMessage.ORDER).toList();
  }
}
