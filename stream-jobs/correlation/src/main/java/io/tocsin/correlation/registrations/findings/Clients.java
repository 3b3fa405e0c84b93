package io.tocsin.correlation.registrations.findings;

import java.util.HashMap;
import java.util.Map;

/**
 * Which clients were concerned lately, as far as it takes to tell one broken client from many.
 *
 * @param seenUnixNanos newest time of each; at most {@link #MOST}
 */
public record Clients(Map<String, Long> seenUnixNanos) {
  static final Clients NOBODY = new Clients(Map.of());

  private static final int MOST = 64;

  Clients plus(String mac, long unixNanos) {
    if (seenUnixNanos.size() >= MOST && !seenUnixNanos.containsKey(mac)) {
      return this;
    }
    Map<String, Long> more = new HashMap<>(seenUnixNanos);
    more.merge(mac, unixNanos, Math::max);
    return new Clients(more);
  }

  Clients since(long unixNanos) {
    if (seenUnixNanos.values().stream().allMatch(time -> time >= unixNanos)) {
      return this;
    }
    Map<String, Long> left = new HashMap<>(seenUnixNanos);
    left.values().removeIf(time -> time < unixNanos);
    return new Clients(left);
  }

  int count() {
    return seenUnixNanos.size();
  }
}
