package io.tocsin.correlation.registrations;

import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Event;
import java.util.List;

/** What only a server's log tells: it could not send, it has no address left, one is in use. */
public final class Complaints {
  private Complaints() {}

  /** The observation of a log line that names no client; nothing for any other message. */
  public static List<Observation> of(Event event) {
    return of(event, new Client());
  }

  static List<Observation> of(Event event, Client client) {
    Kind kind = kindOf(event.getDhcp());
    if (kind == null) {
      return List.of();
    }
    Dhcp dhcp = event.getDhcp();
    String relay = dhcp.getRelay().isEmpty() ? client.relay : dhcp.getRelay();
    return List.of(
        new Observation(
            kind,
            client.ip.indexOf(':') >= 0 || dhcp.getIp().indexOf(':') >= 0 ? 6 : 4,
            dhcp.getMac(),
            dhcp.getIp(),
            dhcp.getServer(),
            Scopes.link(relay),
            Scopes.scope(relay, dhcp.getIp(), dhcp.getPrefixLength()),
            event.getSite(),
            DhcpMessage.happenedAt(event),
            Double.NaN,
            Lease.OPEN,
            "",
            dhcp.getDetail(),
            "",
            event.getEventId()));
  }

  private static Kind kindOf(Dhcp dhcp) {
    return switch (dhcp.getMessageType()) {
      case MESSAGE_TYPE_SEND_FAILED -> Kind.SEND_FAILED;
      case MESSAGE_TYPE_NO_FREE_LEASES -> Kind.NO_FREE_LEASES;
      case MESSAGE_TYPE_ABANDONED -> Kind.ABANDONED;
      default -> null;
    };
  }
}
