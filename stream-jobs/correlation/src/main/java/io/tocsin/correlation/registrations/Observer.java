package io.tocsin.correlation.registrations;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.State;
import java.util.ArrayList;
import java.util.List;

/** What the messages and transitions of one client say to the findings, each of them once. */
final class Observer {
  private final MessageFold messages;

  Observer(MessageFold messages) {
    this.messages = messages;
  }

  /** Of a message that was just put among the others. */
  List<Observation> onMessage(
      String mac, TrackedClient tracked, DhcpMessage message, Client before, Client after) {
    int family = familyOf(message);
    List<Observation> found = new ArrayList<>(3);
    if (messages.isFirstOfItsKind(tracked, message)) {
      Template seen = new Template(mac, family, message, before, after);
      switch (message.verb()) {
        case DISCOVER -> addQuestion(found, seen, after);
        case ACK -> found.add(seen.of(Kind.ACKNOWLEDGED));
        case NAK -> found.add(seen.of(Kind.REFUSED));
        case DECLINE -> found.add(seen.of(Kind.DECLINED));
        default -> addRenewal(found, seen, before, after);
      }
      addMove(found, seen, message, before, after);
    } else if (message.verb() == Verb.REBIND
        && messages.isFirstOnTheWire(tracked, message)
        && !messages.wasTakenForRebind(tracked, message)) {
      // A log line was faster than the capture. It tells of a request and not of which, and counted
      // as a renewal, which stays so: that clients ask any server must not go unheard.
      found.add(new Template(mac, family, message, before, after).of(Kind.REBOUND));
    }
    boolean isAnswer = message.verb() == Verb.OFFER || message.verb() == Verb.ACK;
    if (isAnswer && messages.isFirstOnTheWire(tracked, message)) {
      Template seen = new Template(mac, family, message, before, after);
      found.add(seen.of(message.verb() == Verb.OFFER ? Kind.OFFERED : Kind.SERVED));
      addLatency(found, seen, messages.handledOnTheWire(tracked), message);
    }
    if (isAnswer && isLooking(before) && !isLooking(after)) {
      found.add(new Template(mac, family, message, before, after).of(Kind.ANSWERED));
    }
    addHolding(found, mac, family, message.eventId(), before, after);
    return found;
  }

  private static int familyOf(DhcpMessage message) {
    return Verb.familyOf(Dhcp.MessageType.forNumber(message.typeNumber()));
  }

  /** Of the end of a lease. */
  List<Observation> onTimer(String mac, int family, Client before, Client after) {
    List<Observation> found = new ArrayList<>(1);
    addHolding(found, mac, family, "", before, after);
    return found;
  }

  /** Of a log line that changes no client, or of nothing that matters. */
  List<Observation> onComplaint(Event event, Client client) {
    return Complaints.of(event, client);
  }

  private static boolean isLooking(Client client) {
    return client.state == State.STATE_DISCOVERING;
  }

  /**
   * A question may come after its answer: a server's log line is often faster than the capture.
   * Without the answer it would count as one that nobody answers.
   */
  private static void addQuestion(List<Observation> found, Template seen, Client after) {
    found.add(seen.of(Kind.DISCOVERED));
    if (!isLooking(after)) {
      found.add(seen.of(Kind.ANSWERED));
    }
  }

  /** Counts clients, not requests that they send again. */
  private static void addRenewal(
      List<Observation> found, Template seen, Client before, Client after) {
    if (before.state == after.state) {
      return;
    }
    switch (after.state) {
      case STATE_RENEWING -> found.add(seen.of(Kind.RENEWED));
      case STATE_REBINDING -> found.add(seen.of(Kind.REBOUND));
      default -> {
        // No renewal.
      }
    }
  }

  private static void addMove(
      List<Observation> found, Template seen, DhcpMessage message, Client before, Client after) {
    boolean tells = !message.circuitId().isEmpty() || !message.remoteId().isEmpty();
    String from = Template.placeOf(before);
    if (tells && !from.isEmpty() && !from.equals(Template.placeOf(after))) {
      found.add(seen.of(Kind.MOVED, Double.NaN, from));
    }
  }

  /** From the newest question of the transaction; one that was sent again counts from its first. */
  private static void addLatency(
      List<Observation> found, Template seen, List<DhcpMessage> onTheWire, DhcpMessage answer) {
    boolean isOffer = answer.verb() == Verb.OFFER;
    for (int i = onTheWire.size() - 1; i >= 0; i--) {
      DhcpMessage question = onTheWire.get(i);
      boolean isAsked = isOffer ? question.verb() == Verb.DISCOVER : question.verb().isRequest();
      if (isAsked
          && question.transactionId() == answer.transactionId()
          && question.timeUnixNanos() <= answer.timeUnixNanos()) {
        double ms = (answer.timeUnixNanos() - question.timeUnixNanos()) / (double) Nanos.PER_MILLI;
        found.add(seen.of(isOffer ? Kind.OFFER_LATENCY : Kind.ACK_LATENCY, ms, ""));
        return;
      }
    }
  }

  /** Who holds which address, told when it changes. */
  private static void addHolding(
      List<Observation> found,
      String mac,
      int family,
      String eventId,
      Client before,
      Client after) {
    boolean held = before.isLeased() && !before.ip.isEmpty();
    boolean holds = after.isLeased() && !after.ip.isEmpty();
    if (held && !(holds && before.ip.equals(after.ip))) {
      long time = Math.max(after.changedAtUnixNanos, before.changedAtUnixNanos);
      found.add(Template.holding(Kind.FREED, mac, family, before, time, eventId));
    }
    boolean isNews = !held || !before.ip.equals(after.ip) || !before.lease.equals(after.lease);
    if (holds && isNews) {
      long time = after.newestUnixNanos;
      found.add(Template.holding(Kind.BOUND, mac, family, after, time, eventId));
    }
  }
}
