package io.tocsin.correlation.registrations;

import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.registrations.v1.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Keeps the messages of a client in the order in which they happened, and folds them into the
 * client. What is older than the allowed lateness goes into the base and is not unfolded again.
 *
 * <p>Nearly every message is the newest one, and is folded onto what those before it were {@link
 * Folded} into: of a busy client they are dozens, none of which the processor has at hand.
 */
final class MessageFold {
  /** Of one client, not yet in its base; one that floods is folded earlier. */
  static final int MAX_MESSAGES = 32;

  /** Of one client, one after the other; then those that it still has are folded anew. */
  private static final int MAX_FOLDED = 4 * MAX_MESSAGES;

  private final long latenessNanos;
  private final Repeats repeats;

  MessageFold(Duration lateness, Repeats repeats) {
    this.latenessNanos = lateness.toNanos();
    this.repeats = repeats;
  }

  /** The client as all its messages and its timers show it. */
  Client fold(TrackedClient tracked) {
    Client client = folded(tracked).client.copy();
    ClientMachine.reach(client, tracked.clockUnixNanos);
    return client;
  }

  private Folded folded(TrackedClient tracked) {
    if (tracked.folded == null) {
      List<DhcpMessage> messages = tracked.messages;
      List<DhcpMessage> handled = absorbed(tracked);
      Folded folded = new Folded(tracked.base.copy(), handled);
      for (DhcpMessage message : messages.subList(handled.size(), messages.size())) {
        take(folded.client, message, handled);
      }
      messages.forEach(folded::remember);
      tracked.folded = folded;
    }
    return tracked.folded;
  }

  /** The messages that are in the client's base already. */
  private static List<DhcpMessage> absorbed(TrackedClient tracked) {
    List<DhcpMessage> messages = tracked.messages;
    return new ArrayList<>(messages.subList(0, Math.min(tracked.absorbedCount, messages.size())));
  }

  /** A repeat completes what is known; anything else is applied and remembered as such. */
  private void take(Client client, DhcpMessage message, List<DhcpMessage> handled) {
    if (repeats.isRepeat(message, handled)) {
      ClientMachine.complete(client, message);
    } else {
      handled.add(message);
      ClientMachine.apply(client, message);
    }
  }

  /**
   * Whether a log told of a message before the wire did, and its request was taken for a rebind.
   */
  boolean wasTakenForRebind(TrackedClient tracked, DhcpMessage message) {
    Client client = tracked.base.copy();
    List<DhcpMessage> messages = tracked.messages;
    List<DhcpMessage> handled = absorbed(tracked);
    for (DhcpMessage other : messages.subList(handled.size(), messages.size())) {
      if (other == message) {
        continue;
      }
      take(client, other, handled);
      if (other.verb() == Verb.REQUEST && repeats.areSame(other, message)) {
        return client.state == State.STATE_REBINDING;
      }
    }
    return false;
  }

  /** Whether a message is older than what was folded for good. */
  boolean isTooLate(TrackedClient tracked, DhcpMessage message) {
    if (tracked.newestUnixNanos() == Lease.NEVER) {
      return false;
    }
    long time = message.timeUnixNanos();
    int absorbed = tracked.absorbedCount;
    return time < tracked.newestUnixNanos() - latenessNanos
        || absorbed > 0 && time < tracked.messages.get(absorbed - 1).timeUnixNanos();
  }

  /** Puts one message more where it belongs. */
  void insert(TrackedClient tracked, DhcpMessage message) {
    List<DhcpMessage> messages = new ArrayList<>(tracked.messages);
    if (isNewest(messages, message)) {
      messages.add(message);
      foldNewest(tracked, message);
    } else {
      int place = Collections.binarySearch(messages, message, DhcpMessage.ORDER);
      place = Math.max(place < 0 ? -place - 1 : place, tracked.absorbedCount);
      messages.add(place, message);
      tracked.folded = null;
    }
    tracked.isOnTheWire |= !message.isLogged();
    absorb(tracked, messages);
  }

  private static boolean isNewest(List<DhcpMessage> messages, DhcpMessage message) {
    return messages.isEmpty()
        || DhcpMessage.ORDER.compare(messages.get(messages.size() - 1), message) < 0;
  }

  private void foldNewest(TrackedClient tracked, DhcpMessage message) {
    Folded folded = folded(tracked);
    if (folded.messageCount() < MAX_FOLDED) {
      take(folded.client, message, folded.handled);
      folded.remember(message);
    } else {
      tracked.folded = null;
    }
  }

  private void absorb(TrackedClient tracked, List<DhcpMessage> messages) {
    long cut = messages.get(messages.size() - 1).timeUnixNanos() - latenessNanos;
    Client base = tracked.base.copy();
    int next = tracked.absorbedCount;
    List<DhcpMessage> kept = new ArrayList<>(messages.subList(0, next));
    while (next < messages.size()
        && (messages.get(next).timeUnixNanos() < cut || messages.size() - next > MAX_MESSAGES)) {
      take(base, messages.get(next), kept);
      next++;
    }
    long forgotten = cut - repeats.windowNanos();
    int first = Math.max(0, kept.size() - MAX_MESSAGES);
    boolean mayBeRepeated = first > 0;
    while (first < kept.size() && kept.get(first).timeUnixNanos() < forgotten) {
      first++;
    }
    forget(tracked, first, mayBeRepeated);
    tracked.base = base;
    tracked.messages = new ArrayList<>(kept.subList(first, kept.size()));
    tracked.absorbedCount = tracked.messages.size();
    tracked.messages.addAll(messages.subList(next, messages.size()));
  }

  /** The oldest messages go. Those that one of the others repeats make a difference to it. */
  private static void forget(TrackedClient tracked, int oldest, boolean mayBeRepeated) {
    if (mayBeRepeated) {
      tracked.folded = null;
    } else if (tracked.folded != null) {
      tracked.folded.handled.subList(0, oldest).clear();
    }
  }

  /** Whether a message is news: without it, one less would have been handled. */
  boolean isFirstOfItsKind(TrackedClient tracked, DhcpMessage message) {
    return isLast(tracked, message)
        ? folded(tracked).isNewestHandled(message)
        : isNews(tracked.messages, tracked.absorbedCount, message);
  }

  /** Whether the wire shows a message for the first time: it names servers by their addresses. */
  boolean isFirstOnTheWire(TrackedClient tracked, DhcpMessage message) {
    if (message.isLogged()) {
      return false;
    }
    return folded(tracked).hasLogged()
        ? isNews(onTheWire(tracked), 0, message)
        : isFirstOfItsKind(tracked, message);
  }

  private static boolean isLast(TrackedClient tracked, DhcpMessage message) {
    return tracked.messages.get(tracked.messages.size() - 1) == message;
  }

  /** What the wire shows, without repeats. */
  List<DhcpMessage> handledOnTheWire(TrackedClient tracked) {
    Folded folded = folded(tracked);
    return folded.hasLogged()
        ? repeats.handled(onTheWire(tracked), 0)
        : Collections.unmodifiableList(folded.handled);
  }

  private static List<DhcpMessage> onTheWire(TrackedClient tracked) {
    return tracked.messages.stream().filter(message -> !message.isLogged()).toList();
  }

  private boolean isNews(List<DhcpMessage> messages, int known, DhcpMessage message) {
    List<DhcpMessage> others = messages.stream().filter(other -> other != message).toList();
    return repeats.handled(messages, known).size() > repeats.handled(others, known).size();
  }

  /** Whether a message was delivered before. */
  boolean isKnown(TrackedClient tracked, DhcpMessage message) {
    String id = message.eventId();
    return !id.isEmpty()
        && (isAmong(tracked.waiting, id)
            || folded(tracked).mayHave(id) && isAmong(tracked.messages, id));
  }

  private static boolean isAmong(List<DhcpMessage> messages, String eventId) {
    return messages.stream().anyMatch(message -> message.eventId().equals(eventId));
  }
}
