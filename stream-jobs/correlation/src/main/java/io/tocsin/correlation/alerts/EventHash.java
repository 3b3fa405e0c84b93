package io.tocsin.correlation.alerts;

/**
 * 64 bits instead of an event's id, for a short memory of ids: FNV-1a over its characters. That two
 * of the eight ids which an alert remembers share them is out of reach of chance; ids come from our
 * own agents and rules.
 */
final class EventHash {
  private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private EventHash() {}

  static long of(String eventId) {
    long hash = OFFSET_BASIS;
    for (int i = 0; i < eventId.length(); i++) {
      hash = (hash ^ eventId.charAt(i)) * PRIME;
    }
    return hash;
  }
}
