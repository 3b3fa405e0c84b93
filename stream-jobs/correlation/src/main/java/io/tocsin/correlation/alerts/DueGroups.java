package io.tocsin.correlation.alerts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which groups are to be looked at when, so that a tick costs what changes and not what is there.
 * It follows from the groups and is made anew with the gate. A group stands here once: a time that
 * is set stays where a later one is wanted, and whoever looks then says when to look again.
 */
final class DueGroups {
  private final NavigableMap<Long, Set<String>> keysByTime = new TreeMap<>();
  private final Map<String, Long> timeByKey = new HashMap<>();

  /** Asks for a look at a group; {@link Long#MAX_VALUE} for none. */
  void at(long unixNanos, String key) {
    Long before = timeByKey.get(key);
    if (unixNanos == Long.MAX_VALUE || before != null && before <= unixNanos) {
      return;
    }
    if (before != null) {
      keysByTime.get(before).remove(key);
    }
    timeByKey.put(key, unixNanos);
    keysByTime.computeIfAbsent(unixNanos, time -> new HashSet<>()).add(key);
  }

  /** Takes out what is due, in order of the keys. */
  List<String> take(long nowUnixNanos) {
    List<String> due = new ArrayList<>();
    Map<Long, Set<String>> past = keysByTime.headMap(nowUnixNanos, true);
    past.values().forEach(due::addAll);
    past.clear();
    due.forEach(timeByKey::remove);
    due.sort(null);
    return due;
  }

  /** No later than the first of them is due. */
  long first() {
    return keysByTime.firstKey();
  }

  boolean isEmpty() {
    return timeByKey.isEmpty();
  }
}
