package io.tocsin.correlation.registrations;

/**
 * What one message, or one transition, says about a server, a scope, an address or a place: the
 * input of the findings. One exchange seen three ways is observed once.
 *
 * @param kind what was observed
 * @param family 4 or 6
 * @param mac client; empty where a log names none
 * @param ip address that it is about
 * @param server server, or the name of the host that logged
 * @param link relay agent that the client speaks through, {@link #LOCAL} without one
 * @param scope relay agent, else the subnet of the address
 * @param site configured place
 * @param timeUnixNanos event time
 * @param latencyMs of an answer; NaN for anything else
 * @param expiresAtUnixNanos end of the lease, for {@link Kind#BOUND}
 * @param gateway router that the server named, else the relay
 * @param detail a server's words, or the place before a move
 * @param place switch and circuit now
 * @param eventId event that showed it
 */
public record Observation(
    Kind kind,
    int family,
    String mac,
    String ip,
    String server,
    String link,
    String scope,
    String site,
    long timeUnixNanos,
    double latencyMs,
    long expiresAtUnixNanos,
    String gateway,
    String detail,
    String place,
    String eventId)
    implements ClientDecision {

  /** Link of a client that is heard without a relay agent. */
  public static final String LOCAL = "local";

  /** What was observed. */
  public enum Kind {
    /** A client looks for a server. */
    DISCOVERED,
    /** The first answer to a client that looked for one. */
    ANSWERED,
    /** A server made an offer, as the wire shows it. */
    OFFERED,
    /** A server gave or extended a lease, as the wire shows it. */
    SERVED,
    /** Time from the question to this server's offer. */
    OFFER_LATENCY,
    /** Time from the request to this server's acknowledgement. */
    ACK_LATENCY,
    /** A client began to renew its lease. */
    RENEWED,
    /** A client got no answer to its renewal and asks any server. */
    REBOUND,
    /** A server gave or extended a lease, by whatever path. */
    ACKNOWLEDGED,
    /** A server refused a request. */
    REFUSED,
    /** A client found its address in use. */
    DECLINED,
    /** A client holds an address. */
    BOUND,
    /** A client no longer holds the address. */
    FREED,
    /** A client is plugged in elsewhere. */
    MOVED,
    /** A server logged that it could not send. */
    SEND_FAILED,
    /** A server logged that it has no address left. */
    NO_FREE_LEASES,
    /** A server logged that an address is in use by somebody else. */
    ABANDONED
  }
}
