package io.tocsin.correlation.registrations;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.registrations.v1.State;

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

  private ClientMachine() {}

  /** Applies a message that is not a repeat; a lease that ended before it is over. */
  static void apply(Client client, DhcpMessage message) {
    reach(client, message.timeUnixNanos());
    client.describe(message);
    switch (message.verb()) {
      case DISCOVER -> onDiscover(client, message);
      case OFFER -> onOffer(client, message);
      case SELECT -> onSelect(client, message);
      case REBOOT -> onReboot(client, message);
      case RENEW -> onRenew(client, message);
      case REBIND -> onRebind(client, message);
      case REQUEST -> onUntoldRequest(client, message);
      case ACK -> onAck(client, message);
      case NAK, DECLINE -> end(client, State.STATE_DECLINED, message);
      case RELEASE -> end(client, State.STATE_RELEASED, message);
      case NONE -> {
        // Nothing that changes a client.
      }
    }
  }

  /** Time passes: the lease of the client may have ended. */
  static void reach(Client client, long unixNanos) {
    long expiresAt = client.lease.expiresAtUnixNanos();
    if (client.isLeased() && expiresAt <= unixNanos) {
      client.move(State.STATE_EXPIRED, "", Lease.NONE, expiresAt, LEASE_EXPIRED, "");
    }
  }

  /**
   * Takes a repeat of a message: nothing happened, but one path may tell what another left out. A
   * log does not tell how long a lease is.
   */
  static void complete(Client client, DhcpMessage repeat) {
    client.describe(repeat);
    if (repeat.verb() != Verb.ACK) {
      return;
    }
    // The wire names a server by its address, a log by its host's name.
    if (!repeat.isLogged()) {
      client.servedBy(repeat.server());
    }
    if (repeat.leaseSeconds() > 0 && client.state == State.STATE_BOUND && !client.lease.isTimed()) {
      client.lease = Lease.of(repeat);
    }
  }

  private static void onDiscover(Client client, DhcpMessage message) {
    if (client.state != State.STATE_DISCOVERING) {
      client.move(State.STATE_DISCOVERING, message.ip(), Lease.NONE, message);
    }
  }

  /** Only the first offer to a client that looks for one counts. */
  private static void onOffer(Client client, DhcpMessage message) {
    if (!client.isLeased() && client.state != State.STATE_OFFERED) {
      client.servedBy(message.server());
      move(client, State.STATE_OFFERED, Lease.NONE, message);
    }
  }

  private static void onSelect(Client client, DhcpMessage message) {
    boolean isKnown =
        client.state == State.STATE_OFFERED
            && (message.ip().isEmpty() || message.ip().equals(client.ip));
    client.servedBy(message.server());
    if (!isKnown) {
      move(client, State.STATE_OFFERED, Lease.NONE, message);
    }
  }

  private static void onReboot(Client client, DhcpMessage message) {
    if (!client.isLeased()) {
      move(client, State.STATE_DISCOVERING, Lease.NONE, message);
    }
  }

  private static void onRenew(Client client, DhcpMessage message) {
    if (client.state != State.STATE_RENEWING && client.state != State.STATE_REBINDING) {
      move(client, State.STATE_RENEWING, client.lease, message);
    }
  }

  private static void onRebind(Client client, DhcpMessage message) {
    if (client.state != State.STATE_REBINDING) {
      move(client, State.STATE_REBINDING, client.lease, message);
    }
  }

  /** The time since the acknowledgement says what a log does not; a second of slack for timers. */
  private static void onUntoldRequest(Client client, DhcpMessage message) {
    if (!client.isLeased() || !message.ip().isEmpty() && !message.ip().equals(client.ip)) {
      onSelect(client, message);
      return;
    }
    long time = message.timeUnixNanos() + Nanos.PER_SECOND;
    if (time >= client.lease.rebindsAtUnixNanos()) {
      onRebind(client, message);
    } else if (!client.lease.isTimed() || time >= client.lease.renewsAtUnixNanos()) {
      onRenew(client, message);
    }
  }

  /**
   * Where the wire has named the server of a lease by its address, the name in a log is no other
   * server: what the log says was sent may never have reached the wire.
   */
  private static void onAck(Client client, DhcpMessage ack) {
    boolean isNamedByTheWire = client.isLeased() && Scopes.isAddress(client.server);
    if (!ack.isLogged() || !isNamedByTheWire) {
      client.servedBy(ack.server());
    }
    client.move(State.STATE_BOUND, ack.ip(), Lease.of(ack), ack);
  }

  /** The lease is over, unless the message is about another address. */
  private static void end(Client client, State state, DhcpMessage message) {
    boolean isAboutAnother =
        client.isLeased()
            && message.verb() != Verb.NAK
            && !message.ip().isEmpty()
            && !message.ip().equals(client.ip);
    if (!isAboutAnother && client.state != state) {
      client.move(state, "", Lease.NONE, message);
    }
  }

  /** A transition of a client that keeps its address where the message names none. */
  private static void move(Client client, State state, Lease lease, DhcpMessage message) {
    client.move(state, message.ip().isEmpty() ? client.ip : message.ip(), lease, message);
  }
}
