package io.tocsin.correlation.registrations;

import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Dhcp.MessageType;

/**
 * What a DHCP message does to a client, the same word for IPv4 (RFC 2131) and IPv6 (RFC 8415). In
 * the order in which the messages of one exchange follow each other: at equal times this order
 * decides.
 */
public enum Verb {
  /** DHCPDISCOVER, SOLICIT. */
  DISCOVER,
  /** DHCPOFFER, ADVERTISE. */
  OFFER,
  /** DHCPREQUEST that answers an offer, REQUEST. */
  SELECT,
  /** DHCPREQUEST after a restart, CONFIRM. */
  REBOOT,
  /** DHCPREQUEST to the server at T1, RENEW. */
  RENEW,
  /** DHCPREQUEST to any server at T2, REBIND. */
  REBIND,
  /** DHCPREQUEST of which only a log tells: the state of the client says which of the four. */
  REQUEST,
  /** DHCPACK, REPLY with a lease. */
  ACK,
  /** DHCPNAK, REPLY that takes the lease away. */
  NAK,
  /** DHCPDECLINE, DECLINE. */
  DECLINE,
  /** DHCPRELEASE, RELEASE. */
  RELEASE,
  /** Nothing that changes a client: DHCPINFORM, a server's complaint, a type of a newer agent. */
  NONE;

  static Verb of(Dhcp dhcp) {
    return switch (dhcp.getMessageType()) {
      case MESSAGE_TYPE_DISCOVER, MESSAGE_TYPE_V6_SOLICIT -> DISCOVER;
      case MESSAGE_TYPE_OFFER, MESSAGE_TYPE_V6_ADVERTISE -> OFFER;
      case MESSAGE_TYPE_REQUEST -> ofRequest(dhcp);
      case MESSAGE_TYPE_V6_REQUEST -> SELECT;
      case MESSAGE_TYPE_V6_CONFIRM -> REBOOT;
      case MESSAGE_TYPE_V6_RENEW -> RENEW;
      case MESSAGE_TYPE_V6_REBIND -> REBIND;
      case MESSAGE_TYPE_ACK -> ofAck(dhcp);
      case MESSAGE_TYPE_V6_REPLY -> ofReply(dhcp);
      case MESSAGE_TYPE_NAK -> NAK;
      case MESSAGE_TYPE_DECLINE, MESSAGE_TYPE_V6_DECLINE -> DECLINE;
      case MESSAGE_TYPE_RELEASE, MESSAGE_TYPE_V6_RELEASE -> RELEASE;
      default -> NONE;
    };
  }

  private static Verb ofRequest(Dhcp dhcp) {
    return switch (dhcp.getRequestKind()) {
      case REQUEST_KIND_SELECTING -> SELECT;
      case REQUEST_KIND_INIT_REBOOT -> REBOOT;
      case REQUEST_KIND_RENEWING -> RENEW;
      case REQUEST_KIND_REBINDING -> REBIND;
      default -> REQUEST;
    };
  }

  /** The answer to a DHCPINFORM has no lease (RFC 2131 4.3.5); a log tells no lease of any. */
  private static Verb ofAck(Dhcp dhcp) {
    boolean isLogged = dhcp.getPath() == Dhcp.Path.PATH_SERVER_LOG;
    return dhcp.getIp().isEmpty() || !isLogged && !dhcp.hasLeaseSeconds() ? NONE : ACK;
  }

  /** A valid lifetime of 0 takes the address away, RFC 8415 18.2.10.1. */
  private static Verb ofReply(Dhcp dhcp) {
    if (dhcp.getIp().isEmpty() || !dhcp.hasLeaseSeconds()) {
      return NONE;
    }
    return dhcp.getLeaseSeconds() == 0 ? NAK : ACK;
  }

  /** 4 or 6, by the number of the message type. */
  static int familyOf(MessageType type) {
    boolean isV6 = type != MessageType.UNRECOGNIZED && type.getNumber() / 100 == 1;
    return isV6 ? 6 : 4;
  }

  boolean isRequest() {
    return switch (this) {
      case SELECT, REBOOT, RENEW, REBIND, REQUEST -> true;
      default -> false;
    };
  }

  /** Whether an exchange is over with it. */
  boolean isEnd() {
    return switch (this) {
      case ACK, NAK, DECLINE, RELEASE -> true;
      default -> false;
    };
  }

  /** Whether both may be words for one message: a log does not tell the kinds of request apart. */
  boolean mayBe(Verb other) {
    return this == other
        || this == REQUEST && other.isRequest()
        || other == REQUEST && this.isRequest();
  }
}
