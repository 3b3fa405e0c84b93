package io.tocsin.rules.match;

import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Event;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * DHCP messages.
 *
 * @param types one of them must be the message type
 * @param detail must be found in what the server logged beside the message
 */
public record DhcpMatch(Set<Dhcp.MessageType> types, TextPattern detail) implements MessageMatch {
  private static final Set<String> OWN_FIELDS =
      Set.of("mac", "ip", "server", "relay", "interface", "hostname", "detail");

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    fields.addAll(detail.fields());
    return fields;
  }

  @Override
  public boolean matches(Event event, Map<String, String> fields) {
    Dhcp dhcp = event.getDhcp();
    if (!types.contains(dhcp.getMessageType())) {
      return false;
    }
    fields.put("mac", dhcp.getMac());
    fields.put("ip", dhcp.getIp());
    fields.put("server", dhcp.getServer());
    fields.put("relay", dhcp.getRelay());
    fields.put("interface", dhcp.getInterface());
    fields.put("hostname", dhcp.getHostname());
    fields.put("detail", dhcp.getDetail());
    return detail.find(dhcp.getDetail(), fields);
  }
}
