package io.tocsin.correlation.registrations;

/** Names for the part of the network that an observation is about. */
public final class Scopes {
  private static final int DEFAULT_PREFIX = 24;
  private static final int BITS_PER_BYTE = 8;

  private Scopes() {}

  /** The relay agent, or {@link Observation#LOCAL}. */
  static String link(String relay) {
    return relay.isEmpty() ? Observation.LOCAL : relay;
  }

  /** The relay agent, else the subnet, else {@link Observation#LOCAL}. */
  static String scope(String relay, String ip, int prefixLength) {
    if (!relay.isEmpty()) {
      return relay;
    }
    return ip.isEmpty() ? Observation.LOCAL : prefix(ip, prefixLength);
  }

  /** The subject of a finding about one server and one scope of it. */
  public static String subject(String server, String scope) {
    String name = server.isEmpty() ? "any server" : server;
    return scope.indexOf('/') >= 0 ? name + " for " + scope : name + " via " + scope;
  }

  /** The router that the server named, else the relay, which is the router of most networks. */
  static String gateway(Client client) {
    return client.router.isEmpty() ? client.relay : client.router;
  }

  /**
   * The subnet of an IPv4 address, "10.1.2.0/24"; without a known length a /24. Of an IPv6 address
   * its first four groups, "2001:db8:0:1::/64".
   */
  static String prefix(String ip, int prefixLength) {
    return ip.indexOf(':') >= 0 ? prefixOfIpv6(ip) : prefixOfIpv4(ip, prefixLength);
  }

  private static String prefixOfIpv4(String ip, int prefixLength) {
    int length = prefixLength > 0 && prefixLength <= 32 ? prefixLength : DEFAULT_PREFIX;
    String[] parts = ip.split("\\.", -1);
    if (parts.length != 4) {
      return ip;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 4; i++) {
      int bits = Math.max(0, Math.min(BITS_PER_BYTE, length - i * BITS_PER_BYTE));
      int mask = 0xff00 >> bits & 0xff;
      text.append(i == 0 ? "" : ".").append(octet(parts[i]) & mask);
    }
    return text.append('/').append(length).toString();
  }

  private static int octet(String text) {
    int value = 0;
    for (int i = 0; i < text.length(); i++) {
      value = value * 10 + Character.digit(text.charAt(i), 10);
    }
    return value;
  }

  private static String prefixOfIpv6(String ip) {
    int gap = ip.indexOf("::");
    String head = gap >= 0 ? ip.substring(0, gap) : ip;
    String[] groups = head.split(":", -1);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(4, groups.length); i++) {
      text.append(i == 0 ? "" : ":").append(groups[i]);
    }
    return text.append("::/64").toString();
  }
}
