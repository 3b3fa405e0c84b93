package io.tocsin.correlation.registrations;

import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.registrations.v1.State;
import java.util.regex.Pattern;

/**
 * One step of a client (RFC 2131 4.4, RFC 8415 18.2), as somebody who listens can tell it.
 *
 * <pre>
 *   discover ▶ discovering ─ offer ▶ offered ─ ack ▶ bound ─ T1 ▶ renewing ─ T2 ▶ rebinding
 *                                                    ▲──────── ack ────┴────────────┘ │
 *   nak, decline ▶ declined     release ▶ released      end of the lease ▶ expired ◀──┘
 * </pre>
 *
 * <p>A listener does not see everything: any message may be the first one, and says by itself where
 * the client stands.
 */
final class ClientMachine {
  static final String LEASE_EXPIRED = "lease_expired";

  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F]*:[0-9a-fA-F:.]*");
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private ClientMachine() {}

  /** The client after a message that is not a repeat; a lease that ended before it is over. */
  static Client after(Client before, DhcpMessage message) {
    Client now = at(before, message.timeUnixNanos()).describedBy(message);
    return switch (message.verb()) {
      case DISCOVER -> now.state() == State.STATE_DISCOVERING ? now : onDiscover(now, message);
      case OFFER -> onOffer(now, message);
      case SELECT -> onSelect(now, message);
      case REBOOT -> now.isLeased() ? now : move(now, State.STATE_DISCOVERING, message);
      case RENEW -> onRenew(now, message);
      case REBIND -> onRebind(now, message);
      case REQUEST -> onUntoldRequest(now, message);
      case ACK -> onAck(now, message);
      case NAK, DECLINE -> end(now, State.STATE_DECLINED, message);
      case RELEASE -> end(now, State.STATE_RELEASED, message);
      case NONE -> now;
    };
  }

  /** The client as time passes: its lease may have ended. */
  static Client at(Client client, long unixNanos) {
    long expiresAt = client.lease().expiresAtUnixNanos();
    return client.isLeased() && expiresAt <= unixNanos
        ? client.moved(State.STATE_EXPIRED, "", Lease.NONE, expiresAt, LEASE_EXPIRED, "")
        : client;
  }

  /**
   * The client after a repeat of a message: nothing happened, but one path may tell what another
   * left out. A log does not tell how long a lease is.
   */
  static Client completed(Client client, DhcpMessage repeat) {
    Client described = client.describedBy(repeat);
    // The wire names a server by its address, a log by its host's name.
    boolean tellsServer = repeat.verb() == Verb.ACK && !repeat.isLogged();
    Client now = tellsServer ? described.servedBy(repeat.server()) : described;
    boolean tellsLease =
        repeat.verb() == Verb.ACK
            && repeat.leaseSeconds() > 0
            && now.state() == State.STATE_BOUND
            && !now.lease().isTimed();
    return tellsLease ? now.holding(Lease.of(repeat)) : now;
  }

  private static Client onDiscover(Client client, DhcpMessage message) {
    return client.moved(
        State.STATE_DISCOVERING,
        message.ip(),
        Lease.NONE,
        message.timeUnixNanos(),
        message.word(),
        message.eventId());
  }

  /** Only the first offer to a client that looks for one counts. */
  private static Client onOffer(Client client, DhcpMessage message) {
    boolean isWaiting = !client.isLeased() && client.state() != State.STATE_OFFERED;
    return isWaiting
        ? move(client.servedBy(message.server()), State.STATE_OFFERED, message)
        : client;
  }

  private static Client onSelect(Client client, DhcpMessage message) {
    boolean isKnown =
        client.state() == State.STATE_OFFERED
            && (message.ip().isEmpty() || message.ip().equals(client.ip()));
    return isKnown
        ? client.servedBy(message.server())
        : move(client.servedBy(message.server()), State.STATE_OFFERED, message);
  }

  private static Client onRenew(Client client, DhcpMessage message) {
    boolean isLate =
        client.state() == State.STATE_RENEWING || client.state() == State.STATE_REBINDING;
    return isLate ? client : keep(client, State.STATE_RENEWING, message);
  }

  private static Client onRebind(Client client, DhcpMessage message) {
    return client.state() == State.STATE_REBINDING
        ? client
        : keep(client, State.STATE_REBINDING, message);
  }

  /** The time since the acknowledgement says what a log does not; a second of slack for timers. */
  private static Client onUntoldRequest(Client client, DhcpMessage message) {
    if (!client.isLeased() || !message.ip().isEmpty() && !message.ip().equals(client.ip())) {
      return onSelect(client, message);
    }
    long time = message.timeUnixNanos() + NANOS_PER_SECOND;
    if (time >= client.lease().rebindsAtUnixNanos()) {
      return onRebind(client, message);
    }
    boolean isDue = !client.lease().isTimed() || time >= client.lease().renewsAtUnixNanos();
    return isDue ? onRenew(client, message) : client;
  }

  private static Client onAck(Client client, DhcpMessage message) {
    return servedBy(client, message)
        .moved(
            State.STATE_BOUND,
            message.ip(),
            Lease.of(message),
            message.timeUnixNanos(),
            message.word(),
            message.eventId());
  }

  /**
   * Where the wire has named the server of a lease by its address, the name in a log is no other
   * server: what the log says was sent may never have reached the wire.
   */
  private static Client servedBy(Client client, DhcpMessage ack) {
    boolean isNamedByTheWire = client.isLeased() && ADDRESS.matcher(client.server()).matches();
    return ack.isLogged() && isNamedByTheWire ? client : client.servedBy(ack.server());
  }

  /** The lease is over, unless the message is about another address. */
  private static Client end(Client client, State state, DhcpMessage message) {
    boolean isAboutAnother =
        client.isLeased()
            && message.verb() != Verb.NAK
            && !message.ip().isEmpty()
            && !message.ip().equals(client.ip());
    return isAboutAnother || client.state() == state
        ? client
        : client.moved(
            state, "", Lease.NONE, message.timeUnixNanos(), message.word(), message.eventId());
  }

  /** A transition of a client without a lease. */
  private static Client move(Client client, State state, DhcpMessage message) {
    return client.moved(
        state,
        message.ip().isEmpty() ? client.ip() : message.ip(),
        Lease.NONE,
        message.timeUnixNanos(),
        message.word(),
        message.eventId());
  }

  /** A transition of a client that keeps its lease. */
  private static Client keep(Client client, State state, DhcpMessage message) {
    return client.moved(
        state,
        message.ip().isEmpty() ? client.ip() : message.ip(),
        client.lease(),
        message.timeUnixNanos(),
        message.word(),
        message.eventId());
  }
}
