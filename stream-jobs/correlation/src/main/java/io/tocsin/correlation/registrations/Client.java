package io.tocsin.correlation.registrations;

import io.tocsin.correlation.Nanos;
import io.tocsin.registrations.v1.State;

/**
 * One client as its messages show it up to some time. Text is empty where nothing was told. Times
 * are Unix nanoseconds.
 */
public final class Client implements Cloneable {
  /** Where it stands; unspecified before its first message. */
  public State state = State.STATE_UNSPECIFIED;

  /** State before the last transition. */
  public State previousState = State.STATE_UNSPECIFIED;

  /** Address that it has or asks for. */
  public String ip = "";

  /** Address before the last transition. */
  public String previousIp = "";

  /** Server that gave or offered it. */
  public String server = "";

  /** Newest relay agent that was told. */
  public String relay = "";

  /** Newest circuit. */
  public String circuitId = "";

  /** Newest switch or line. */
  public String remoteId = "";

  /** Newest name. */
  public String hostname = "";

  /** Newest vendor class. */
  public String vendorClass = "";

  /** Newest list of requested parameters. */
  public String fingerprint = "";

  /** Newest gateway. */
  public String router = "";

  /** Length of the subnet's prefix; 0 where none was told. */
  public int prefixLength;

  /** Newest site. */
  public String site = "";

  /** Its lease; {@link Lease#NONE} without one. */
  public Lease lease = Lease.NONE;

  /** Last transition. */
  public long changedAtUnixNanos = Lease.NEVER;

  /** Word for what caused it. */
  public String cause = "";

  /** Event that caused it; empty for the end of a lease. */
  public String eventId = "";

  /** Newest message. */
  public long newestUnixNanos = Lease.NEVER;

  /** Nothing is known. */
  public Client() {}

  Client copy() {
    try {
      return (Client) clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("a client can be copied", e);
    }
  }

  /** Whether it holds a lease. */
  boolean isLeased() {
    return switch (state) {
      case STATE_BOUND, STATE_RENEWING, STATE_REBINDING -> true;
      default -> false;
    };
  }

  /** A transition that a message causes. */
  void move(State next, String address, Lease held, DhcpMessage message) {
    move(next, address, held, message.timeUnixNanos(), message.word(), message.eventId());
  }

  /** A transition. */
  void move(State next, String address, Lease held, long time, String why, String causingEvent) {
    previousState = state;
    previousIp = ip;
    state = next;
    ip = address;
    lease = held;
    changedAtUnixNanos = time;
    cause = why;
    eventId = causingEvent;
  }

  /** Takes everything that a message tells about the client and its place. */
  void describe(DhcpMessage message) {
    relay = newer(message.relay(), relay);
    circuitId = newer(message.circuitId(), circuitId);
    remoteId = newer(message.remoteId(), remoteId);
    hostname = newer(message.hostname(), hostname);
    vendorClass = newer(message.vendorClass(), vendorClass);
    fingerprint = newer(message.fingerprint(), fingerprint);
    router = newer(message.router(), router);
    prefixLength = message.prefixLength() == 0 ? prefixLength : message.prefixLength();
    site = newer(message.site(), site);
    newestUnixNanos = Math.max(newestUnixNanos, message.timeUnixNanos());
  }

  void servedBy(String name) {
    server = newer(name, server);
  }

  private static String newer(String told, String known) {
    return told.isEmpty() ? known : told;
  }

  /**
   * A lease. Times are Unix nanoseconds of event time.
   *
   * @param startedAtUnixNanos acknowledgement that gave it; {@link #NEVER} without a lease
   * @param renewsAtUnixNanos T1
   * @param rebindsAtUnixNanos T2
   * @param expiresAtUnixNanos its end; {@link #OPEN} where it has none or none was told
   */
  public record Lease(
      long startedAtUnixNanos,
      long renewsAtUnixNanos,
      long rebindsAtUnixNanos,
      long expiresAtUnixNanos) {

    /** Before every possible time. */
    public static final long NEVER = Long.MIN_VALUE;

    /** After every possible time. */
    public static final long OPEN = Long.MAX_VALUE;

    /** No lease. */
    public static final Lease NONE = new Lease(NEVER, OPEN, OPEN, OPEN);

    /** The lease that an acknowledgement gives; T1 and T2 default to 0.5 and 0.875 of it. */
    static Lease of(DhcpMessage ack) {
      long start = ack.timeUnixNanos();
      if (ack.leaseSeconds() == 0 || ack.isForEver()) {
        return new Lease(start, OPEN, OPEN, OPEN);
      }
      long length = ack.leaseSeconds() * Nanos.PER_SECOND;
      long renewal = ack.renewalSeconds() * Nanos.PER_SECOND;
      long rebinding = ack.rebindingSeconds() * Nanos.PER_SECOND;
      return new Lease(
          start,
          start + (renewal > 0 ? renewal : length / 2),
          start + (rebinding > 0 ? rebinding : length / 8 * 7),
          start + length);
    }

    /** Whether its end is known. */
    boolean isTimed() {
      return expiresAtUnixNanos != OPEN;
    }
  }
}
