package io.tocsin.connectors.tables;

/**
 * How long a DHCP server took for one answer.
 *
 * @param eventId event of the answer
 * @param eventTimeUnixNanos when the server answered
 * @param kind of the answer
 * @param family 4 or 6
 * @param mac client
 * @param ip address that the answer is about
 * @param server that answered
 * @param scope relay agent, else the subnet of the address
 * @param relay relay agent that it came through; empty without one
 * @param site configured place
 * @param latencyMs from the question to the answer
 */
public record LeaseLatency(
    String eventId,
    long eventTimeUnixNanos,
    Kind kind,
    int family,
    String mac,
    String ip,
    String server,
    String scope,
    String relay,
    String site,
    double latencyMs) {

  /** What a server answers. */
  public enum Kind {
    /** An offer, or an advertisement. */
    OFFER(1),
    /** An acknowledgement, or a reply with a lease. */
    ACK(2);

    /** Number in the table's enum. */
    final int number;

    Kind(int number) {
      this.number = number;
    }
  }
}
