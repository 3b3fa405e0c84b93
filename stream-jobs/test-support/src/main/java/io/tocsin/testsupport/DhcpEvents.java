package io.tocsin.testsupport;

import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Dhcp.MessageType;
import io.tocsin.events.v1.Dhcp.Path;
import io.tocsin.events.v1.Dhcp.RequestKind;
import io.tocsin.events.v1.Event;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * Messages of one DHCP client, one call each: as a capture shows them, with the transaction of the
 * newest {@link #transaction}. Each event has an id of its own.
 */
public final class DhcpEvents {
  /** The server of all clients, unless a test says otherwise. */
  public static final String SERVER = "10.1.0.1";

  private static final AtomicLong SEQUENCE = new AtomicLong();

  private final String mac;
  private final String ip;
  private final int leaseSeconds;
  private int transactionId = 1;

  /**
   * A client.
   *
   * @param mac hardware address
   * @param ip address that it gets
   * @param leaseSeconds that it gets it for
   */
  public DhcpEvents(String mac, String ip, int leaseSeconds) {
    this.mac = mac;
    this.ip = ip;
    this.leaseSeconds = leaseSeconds;
  }

  /** The same client in another transaction from here on. */
  public DhcpEvents transaction(int id) {
    transactionId = id;
    return this;
  }

  /** DHCPDISCOVER. */
  public Event discover(Instant time) {
    return message(MessageType.MESSAGE_TYPE_DISCOVER, time, dhcp -> dhcp);
  }

  /** DHCPOFFER. */
  public Event offer(Instant time) {
    return message(MessageType.MESSAGE_TYPE_OFFER, time, dhcp -> dhcp.setIp(ip).setServer(SERVER));
  }

  /** DHCPREQUEST that answers an offer. */
  public Event select(Instant time) {
    return request(RequestKind.REQUEST_KIND_SELECTING, time);
  }

  /** DHCPREQUEST after a restart. */
  public Event reboot(Instant time) {
    return request(RequestKind.REQUEST_KIND_INIT_REBOOT, time);
  }

  /** DHCPREQUEST at T1: to the server, so without a relay. */
  public Event renew(Instant time) {
    Event event = request(RequestKind.REQUEST_KIND_RENEWING, time);
    return event.toBuilder()
        .setDhcp(event.getDhcp().toBuilder().clearRelay().clearServer())
        .build();
  }

  /** DHCPREQUEST at T2. */
  public Event rebind(Instant time) {
    Event event = request(RequestKind.REQUEST_KIND_REBINDING, time);
    return event.toBuilder().setDhcp(event.getDhcp().toBuilder().clearServer()).build();
  }

  /** DHCPACK with the lease. */
  public Event ack(Instant time) {
    return message(
        MessageType.MESSAGE_TYPE_ACK,
        time,
        dhcp -> dhcp.setIp(ip).setServer(SERVER).setLeaseSeconds(leaseSeconds).setPrefixLength(24));
  }

  /** DHCPNAK. */
  public Event nak(Instant time) {
    return message(MessageType.MESSAGE_TYPE_NAK, time, dhcp -> dhcp.setServer(SERVER));
  }

  /** DHCPDECLINE. */
  public Event decline(Instant time) {
    return message(MessageType.MESSAGE_TYPE_DECLINE, time, dhcp -> dhcp.setIp(ip));
  }

  /** DHCPRELEASE. */
  public Event release(Instant time) {
    return message(MessageType.MESSAGE_TYPE_RELEASE, time, dhcp -> dhcp.setIp(ip));
  }

  private Event request(RequestKind kind, Instant time) {
    return message(
        MessageType.MESSAGE_TYPE_REQUEST,
        time,
        dhcp -> dhcp.setIp(ip).setServer(SERVER).setRequestKind(kind));
  }

  /** Any message of this client. */
  public Event message(MessageType type, Instant time, UnaryOperator<Dhcp.Builder> details) {
    Dhcp.Builder dhcp =
        Dhcp.newBuilder()
            .setMessageType(type)
            .setPath(Path.PATH_CAPTURE)
            .setMac(mac)
            .setRelay("10.1.2.1")
            .setCircuitId("ge-0/0/7")
            .setRemoteId("sw-b4")
            .setTransactionId(transactionId);
    return TestEvents.envelope(SEQUENCE.incrementAndGet(), time)
        .setListener("dhcp")
        .setDevice("relay-1")
        .setDhcp(details.apply(dhcp))
        .build();
  }

  /** The same message as the relay agent copied it. */
  public static Event relayed(Event event, Instant receivedAt) {
    return told(event, Path.PATH_RELAY_COPY, receivedAt).build();
  }

  /**
   * The same message as a server logged it: without transaction, lease and kind of request, with a
   * stamp of whole seconds, and the server by its name.
   */
  public static Event logged(Event event, Instant receivedAt) {
    Event.Builder logged = told(event, Path.PATH_SERVER_LOG, receivedAt);
    logged.setEventTimeUnixNanos(unixNanos(Instant.ofEpochSecond(receivedAt.getEpochSecond())));
    logged
        .getDhcpBuilder()
        .clearTransactionId()
        .clearLeaseSeconds()
        .clearRequestKind()
        .clearCircuitId()
        .clearRemoteId()
        .clearPrefixLength()
        .setServer("dhcp-1");
    return logged.build();
  }

  private static Event.Builder told(Event event, Path path, Instant receivedAt) {
    long sequence = SEQUENCE.incrementAndGet();
    Event.Builder told =
        event.toBuilder()
            .setEventId(TestEvents.envelope(sequence, receivedAt).getEventId())
            .setReceivedAtUnixNanos(unixNanos(receivedAt))
            .setEventTimeUnixNanos(unixNanos(receivedAt));
    told.getDhcpBuilder().setPath(path);
    return told;
  }
}
