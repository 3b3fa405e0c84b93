package io.tocsin.correlation.registrations;

import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.registrations.v1.State;

/**
 * Makes observations of one message.
 *
 * <p>The scope of a renewal is what was known of the lease before it: a renewal goes to the server
 * without a relay and a rebind through one, and both must count for the same scope.
 */
record Template(String mac, int family, DhcpMessage message, Client before, Client after) {

  Observation of(Kind kind) {
    return of(kind, Double.NaN, "");
  }

  Observation of(Kind kind, double latencyMs, String detail) {
    boolean isRenewal = kind == Kind.RENEWED || kind == Kind.REBOUND;
    Client client = isRenewal && before.state != State.STATE_UNSPECIFIED ? before : after;
    String ip = message.ip().isEmpty() ? client.ip : message.ip();
    String server = isRenewal || message.server().isEmpty() ? client.server : message.server();
    String relay = isRenewal ? before.relay : client.relay;
    int prefix = isRenewal ? before.prefixLength : client.prefixLength;
    return new Observation(
        kind,
        family,
        mac,
        ip,
        server,
        Scopes.link(relay),
        Scopes.scope(relay, ip, prefix),
        client.site,
        message.timeUnixNanos(),
        latencyMs,
        Lease.OPEN,
        Scopes.gateway(client),
        detail,
        placeOf(after),
        message.eventId());
  }

  static Observation holding(
      Kind kind, String mac, int family, Client client, long unixNanos, String eventId) {
    return new Observation(
        kind,
        family,
        mac,
        client.ip,
        client.server,
        Scopes.link(client.relay),
        Scopes.scope(client.relay, client.ip, client.prefixLength),
        client.site,
        unixNanos,
        Double.NaN,
        client.lease.expiresAtUnixNanos(),
        Scopes.gateway(client),
        "",
        placeOf(client),
        eventId);
  }

  /** Switch and circuit; empty where neither is known. */
  static String placeOf(Client client) {
    if (client.remoteId.isEmpty()) {
      return client.circuitId;
    }
    return client.circuitId.isEmpty() ? client.remoteId : client.remoteId + " " + client.circuitId;
  }
}
