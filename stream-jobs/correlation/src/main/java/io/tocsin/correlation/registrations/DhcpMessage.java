package io.tocsin.correlation.registrations;

import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Dhcp.MessageType;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EnumWords;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is remembered of one DHCP message of one client. Text is empty and numbers are 0 where the
 * message does not tell.
 *
 * @param timeUnixNanos when it happened, see {@link #happenedAt}
 * @param verb what it does
 * @param typeNumber of {@link MessageType}
 * @param isLogged whether a server's log told of it, not the wire
 * @param transactionId 0 in a log
 * @param ip address that it is about
 * @param server server identifier, or the name of the server that logged
 * @param relay relay agent
 * @param circuitId where the client is plugged in
 * @param remoteId switch or line
 * @param hostname that the client gives itself
 * @param vendorClass that the client gives
 * @param fingerprint the client's list of requested parameters
 * @param leaseSeconds lease or valid lifetime; 4,294,967,295 is for ever
 * @param renewalSeconds T1
 * @param rebindingSeconds T2
 * @param prefixLength of the subnet
 * @param router the client's gateway
 * @param site of the listener
 * @param eventId of the event
 */
public record DhcpMessage(
    long timeUnixNanos,
    Verb verb,
    int typeNumber,
    boolean isLogged,
    int transactionId,
    String ip,
    String server,
    String relay,
    String circuitId,
    String remoteId,
    String hostname,
    String vendorClass,
    String fingerprint,
    long leaseSeconds,
    long renewalSeconds,
    long rebindingSeconds,
    int prefixLength,
    String router,
    String site,
    String eventId) {

  /** Words by the number of the type: a client that is folded again asks for many. */
  private static final Map<Integer, String> WORDS =
      Arrays.stream(MessageType.values())
          .filter(EnumWords::isSpecified)
          .collect(Collectors.toUnmodifiableMap(MessageType::getNumber, EnumWords::wordOf));

  /** Event time, then the order of an exchange, then anything that is the same in every run. */
  static final Comparator<DhcpMessage> ORDER =
      Comparator.comparingLong(DhcpMessage::timeUnixNanos)
          .thenComparing(DhcpMessage::verb)
          .thenComparing(DhcpMessage::isLogged)
          .thenComparingInt(DhcpMessage::transactionId)
          .thenComparing(DhcpMessage::ip)
          .thenComparing(DhcpMessage::server)
          .thenComparing(DhcpMessage::eventId);

  /**
   * Takes from an event with a DHCP body what a registration needs.
   *
   * @param known the client before it, whose texts are kept once: of a busy client dozens of
   *     messages are kept, which say the same
   */
  static DhcpMessage of(Event event, Client known) {
    Dhcp dhcp = event.getDhcp();
    return new DhcpMessage(
        happenedAt(event),
        Verb.of(dhcp),
        dhcp.getMessageTypeValue(),
        dhcp.getPath() == Dhcp.Path.PATH_SERVER_LOG,
        dhcp.getTransactionId(),
        once(dhcp.getIp(), known.ip),
        once(dhcp.getServer(), known.server),
        once(dhcp.getRelay(), known.relay),
        once(dhcp.getCircuitId(), known.circuitId),
        once(dhcp.getRemoteId(), known.remoteId),
        once(dhcp.getHostname(), known.hostname),
        once(dhcp.getVendorClass(), known.vendorClass),
        once(dhcp.getFingerprint(), known.fingerprint),
        Integer.toUnsignedLong(dhcp.getLeaseSeconds()),
        Integer.toUnsignedLong(dhcp.getRenewalSeconds()),
        Integer.toUnsignedLong(dhcp.getRebindingSeconds()),
        dhcp.getPrefixLength(),
        once(dhcp.getRouter(), known.router),
        once(event.getSite(), known.site),
        event.getEventId());
  }

  private static String once(String told, String known) {
    return told.equals(known) ? known : told;
  }

  /**
   * When the message happened, Unix nanoseconds, never after it was received. DHCP carries no time;
   * a log's stamp has whole seconds, no time zone and the clock of another host, so that by it an
   * answer would come before its question or hours ago. Of a log the time of receipt counts.
   */
  static long happenedAt(Event event) {
    long eventTime = event.getEventTimeUnixNanos();
    long receivedAt = event.getReceivedAtUnixNanos();
    boolean isLogged = event.getDhcp().getPath() == Dhcp.Path.PATH_SERVER_LOG;
    boolean isAhead = Long.compareUnsigned(eventTime, receivedAt) > 0;
    return isLogged || isAhead ? receivedAt : eventTime;
  }

  /** The word of the message, for example "ack"; it is the cause of a transition. */
  String word() {
    return WORDS.get(typeNumber);
  }

  /** Whether the lease that it gives has no end. */
  boolean isForEver() {
    return leaseSeconds == 0xffff_ffffL;
  }
}
