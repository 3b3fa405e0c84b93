package io.tocsin.correlation.registrations;

import java.util.Arrays;
import java.util.List;

/**
 * What the messages of a client were folded into, so that the newest is folded onto it and the
 * others need not be looked at again. It follows from the messages and is no state: whoever has
 * none folds all of them and gets the same.
 */
final class Folded {
  /** By all messages; the client's clock is not in it. */
  final Client client;

  /** The messages of the client that are no repeats, in order. */
  final List<DhcpMessage> handled;

  private int[] eventIdHashes = new int[8];
  private int messageCount;
  private boolean hasLogged;

  Folded(Client client, List<DhcpMessage> handled) {
    this.client = client;
    this.handled = handled;
  }

  /** Remembers a message that was folded, or is in the base. */
  void remember(DhcpMessage message) {
    if (messageCount == eventIdHashes.length) {
      eventIdHashes = Arrays.copyOf(eventIdHashes, 2 * messageCount);
    }
    eventIdHashes[messageCount++] = message.eventId().hashCode();
    hasLogged |= message.isLogged();
  }

  /** Whether a log told any of the messages; where not, all that was handled is of the wire. */
  boolean hasLogged() {
    return hasLogged;
  }

  /** Messages that were remembered. */
  int messageCount() {
    return messageCount;
  }

  /** Whether one of the messages may have this id; where not, none has. */
  boolean mayHave(String eventId) {
    int hash = eventId.hashCode();
    for (int i = 0; i < messageCount; i++) {
      if (eventIdHashes[i] == hash) {
        return true;
      }
    }
    return false;
  }

  /** Whether the message is the newest of those that are no repeats. */
  boolean isNewestHandled(DhcpMessage message) {
    return !handled.isEmpty() && handled.get(handled.size() - 1) == message;
  }
}
