package io.tocsin.correlation.registrations;

import io.tocsin.registrations.v1.State;

/**
 * One client as its messages show it up to some time. Text is empty where nothing was told. Times
 * are Unix nanoseconds.
 *
 * @param state where it stands; unspecified while nothing was heard
 * @param previousState before the last transition
 * @param ip address that it has or asks for
 * @param previousIp before the last transition
 * @param server that gave or offered it
 * @param relay newest relay agent that was told
 * @param circuitId newest circuit
 * @param remoteId newest switch or line
 * @param hostname newest name
 * @param vendorClass newest vendor class
 * @param fingerprint newest list of requested parameters
 * @param router newest gateway
 * @param prefixLength of the subnet; 0 where none was told
 * @param site newest site
 * @param lease its lease; {@link Lease#NONE} without one
 * @param changedAtUnixNanos last transition
 * @param cause word for what caused it
 * @param eventId event that caused it; empty for the end of a lease
 * @param heardAtUnixNanos newest message
 */
public record Client(
    State state,
    State previousState,
    String ip,
    String previousIp,
    String server,
    String relay,
    String circuitId,
    String remoteId,
    String hostname,
    String vendorClass,
    String fingerprint,
    String router,
    int prefixLength,
    String site,
    Lease lease,
    long changedAtUnixNanos,
    String cause,
    String eventId,
    long heardAtUnixNanos) {

  /** Before anything was heard. */
  static final Client UNKNOWN =
      new Client(
          State.STATE_UNSPECIFIED,
          State.STATE_UNSPECIFIED,
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          0,
          "",
          Lease.NONE,
          Lease.NEVER,
          "",
          "",
          Lease.NEVER);

  /** Whether it holds a lease. */
  boolean isLeased() {
    return switch (state) {
      case STATE_BOUND, STATE_RENEWING, STATE_REBINDING -> true;
      default -> false;
    };
  }

  /** The same after a transition. */
  Client moved(State now, String address, Lease held, long time, String why, String causingEvent) {
    return new Client(
        now,
        state,
        address,
        ip,
        server,
        relay,
        circuitId,
        remoteId,
        hostname,
        vendorClass,
        fingerprint,
        router,
        prefixLength,
        site,
        held,
        time,
        why,
        causingEvent,
        heardAtUnixNanos);
  }

  /** The same with everything that a message tells about the client and its place. */
  Client describedBy(DhcpMessage message) {
    return new Client(
        state,
        previousState,
        ip,
        previousIp,
        server,
        newer(message.relay(), relay),
        newer(message.circuitId(), circuitId),
        newer(message.remoteId(), remoteId),
        newer(message.hostname(), hostname),
        newer(message.vendorClass(), vendorClass),
        newer(message.fingerprint(), fingerprint),
        newer(message.router(), router),
        message.prefixLength() == 0 ? prefixLength : message.prefixLength(),
        newer(message.site(), site),
        lease,
        changedAtUnixNanos,
        cause,
        eventId,
        Math.max(heardAtUnixNanos, message.timeUnixNanos()));
  }

  Client servedBy(String serverNow) {
    return new Client(
        state,
        previousState,
        ip,
        previousIp,
        newer(serverNow, server),
        relay,
        circuitId,
        remoteId,
        hostname,
        vendorClass,
        fingerprint,
        router,
        prefixLength,
        site,
        lease,
        changedAtUnixNanos,
        cause,
        eventId,
        heardAtUnixNanos);
  }

  Client holding(Lease held) {
    return new Client(
        state,
        previousState,
        ip,
        previousIp,
        server,
        relay,
        circuitId,
        remoteId,
        hostname,
        vendorClass,
        fingerprint,
        router,
        prefixLength,
        site,
        held,
        changedAtUnixNanos,
        cause,
        eventId,
        heardAtUnixNanos);
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

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** The lease that an acknowledgement gives; T1 and T2 default to 0.5 and 0.875 of it. */
    static Lease of(DhcpMessage ack) {
      long start = ack.timeUnixNanos();
      if (ack.leaseSeconds() == 0 || ack.isForEver()) {
        return new Lease(start, OPEN, OPEN, OPEN);
      }
      long length = ack.leaseSeconds() * NANOS_PER_SECOND;
      long renewal = ack.renewalSeconds() * NANOS_PER_SECOND;
      long rebinding = ack.rebindingSeconds() * NANOS_PER_SECOND;
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
