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

  /** The device that a finding is about: the server; the relay where no message names one. */
  public static String device(String server, String link) {
    return server.isEmpty() ? link : server;
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
    int[] octets = new int[4];
    int last = 0;
    for (int i = 0; i < ip.length(); i++) {
      if (ip.charAt(i) != '.') {
        octets[last] = octets[last] * 10 + Character.digit(ip.charAt(i), 10);
      } else if (++last == octets.length) {
        return ip;
      }
    }
    if (last != octets.length - 1) {
      return ip;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < octets.length; i++) {
      int bits = Math.max(0, Math.min(BITS_PER_BYTE, length - i * BITS_PER_BYTE));
      int mask = 0xff00 >> bits & 0xff;
      text.append(i == 0 ? "" : ".").append(octets[i] & mask);
    }
    return text.append('/').append(length).toString();
  }

  private static String prefixOfIpv6(String ip) {
    int gap = ip.indexOf("::");
    int end = gap >= 0 ? gap : ip.length();
    int fourth = 0;
    for (int colons = 0; fourth < end; fourth++) {
      if (ip.charAt(fourth) == ':' && ++colons == 4) {
        break;
      }
    }
    return ip.substring(0, fourth) + "::/64";
  }

  /** Whether a server is named by its address, and not by its host's name. */
  static boolean isAddress(String server) {
    boolean isIpv6 = server.indexOf(':') >= 0;
    for (int i = 0; i < server.length(); i++) {
      char c = server.charAt(i);
      boolean isDigit = Character.digit(c, isIpv6 ? 16 : 10) >= 0 && c < 128;
      if (!isDigit && c != '.' && c != ':') {
        return false;
      }
    }
    return !server.isEmpty();
  }
}
