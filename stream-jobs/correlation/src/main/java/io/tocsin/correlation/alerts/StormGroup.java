package io.tocsin.correlation.alerts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;

/**
 * What opened lately in one group of alerts, and the storm that goes on there.
 *
 * @param recent newest openings, one an alert, by time: at most one more than make a storm
 * @param storm null where there is none
 */
public record StormGroup(List<Opening> recent, Storm storm) {
  static final StormGroup EMPTY = new StormGroup(List.of(), null);

  /**
   * An alert that opened.
   *
   * @param fingerprint of the alert
   * @param atUnixNanos by the agents' clock
   * @param readAtUnixNanos what time it was for the gate then: much later for one that an agent had
   *     spooled
   */
  public record Opening(String fingerprint, long atUnixNanos, long readAtUnixNanos) {}

  /** One more opening, wherever it belongs in time, and none of the same alert besides. */
  StormGroup opening(String fingerprint, long at, long readAt) {
    Opening newest = new Opening(fingerprint, at, readAt);
    List<Opening> next = new ArrayList<>(recent);
    next.removeIf(opening -> opening.fingerprint().equals(fingerprint));
    next.add(newest);
    next.sort(Comparator.comparingLong(Opening::atUnixNanos));
    return new StormGroup(List.copyOf(next), storm);
  }

  /** Without the oldest openings where there are more than make a storm. */
  StormGroup newest(StormLimits limits) {
    int tooMany = Math.max(0, recent.size() - limits.opens() - 1);
    return new StormGroup(List.copyOf(recent.subList(tooMany, recent.size())), storm);
  }

  /** The most openings that one window holds in which there was one at that time. */
  List<Opening> together(long at, StormLimits limits) {
    List<Opening> most = List.of();
    for (int first = 0; first < recent.size(); first++) {
      long begin = recent.get(first).atUnixNanos();
      if (begin > at || begin <= at - limits.windowNanos()) {
        continue;
      }
      int end = first;
      while (end < recent.size() && recent.get(end).atUnixNanos() < begin + limits.windowNanos()) {
        end++;
      }
      if (end - first > most.size()) {
        most = recent.subList(first, end);
      }
    }
    return most;
  }

  /**
   * When time alone changes something: an opening is forgotten, a storm is over, or it is calm and
   * has members to tell of. A storm of many waits for its members: {@link Long#MAX_VALUE}.
   */
  long changesAt(StormLimits limits, long rememberedNanos) {
    LongSummaryStatistics reads =
        recent.stream().mapToLong(Opening::readAtUnixNanos).summaryStatistics();
    long at = recent.isEmpty() ? Long.MAX_VALUE : reads.getMin() + rememberedNanos;
    if (storm == null) {
      return at;
    }
    if (storm.fewSinceUnixNanos != Long.MAX_VALUE) {
      at = Math.min(at, storm.fewSinceUnixNanos + limits.windowNanos());
    }
    if (storm.members() != storm.emittedMembers) {
      boolean isCalm = recent.isEmpty();
      at = isCalm ? Long.MIN_VALUE : Math.min(at, reads.getMax() + limits.windowNanos());
    }
    return at;
  }

  StormGroup without(List<Opening> others) {
    return new StormGroup(
        recent.stream().filter(opening -> !others.contains(opening)).toList(), storm);
  }

  /** With the openings that were read since then, whenever they happened. */
  StormGroup readSince(long unixNanos) {
    return new StormGroup(
        recent.stream().filter(opening -> opening.readAtUnixNanos() > unixNanos).toList(), storm);
  }

  StormGroup with(List<Opening> next) {
    return new StormGroup(List.copyOf(next), storm);
  }

  StormGroup with(Storm next) {
    return new StormGroup(recent, next);
  }
}
