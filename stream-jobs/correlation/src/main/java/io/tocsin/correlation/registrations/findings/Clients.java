package io.tocsin.correlation.registrations.findings;

import java.util.HashMap;
import java.util.Map;

/** Which clients were concerned lately, as far as it takes to tell one broken client from many. */
public final class Clients {
  private static final int MOST = 64;

  /** Newest time of each; at most 64. */
  public Map<String, Long> seenUnixNanos = new HashMap<>();

  /** Nobody. */
  public Clients() {}

  void add(String mac, long unixNanos) {
    if (seenUnixNanos.size() < MOST || seenUnixNanos.containsKey(mac)) {
      seenUnixNanos.merge(mac, unixNanos, Math::max);
    }
  }

  void forgetBefore(long unixNanos) {
    seenUnixNanos.values().removeIf(time -> time < unixNanos);
  }

  int count() {
    return seenUnixNanos.size();
  }
}
