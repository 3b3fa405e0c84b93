package io.tocsin.correlation.alerts;

import java.util.ArrayList;
import java.util.List;

/**
 * What opened lately in one group of alerts, and the storm that goes on there.
 *
 * @param recent newest openings, one an alert, in order: at most one more than make a storm
 * @param storm null where there is none
 */
public record StormGroup(List<Opening> recent, Storm storm) {
  static final StormGroup EMPTY = new StormGroup(List.of(), null);

  /**
   * An alert that opened.
   *
   * @param fingerprint of the alert
   * @param atUnixNanos by the agents' clock
   */
  public record Opening(String fingerprint, long atUnixNanos) {}

  /** One more opening; what is older than the window before it is left out. */
  StormGroup opening(String fingerprint, long now, StormLimits limits) {
    List<Opening> next = new ArrayList<>();
    for (Opening opening : recent) {
      if (opening.atUnixNanos() > now - limits.windowNanos()
          && !opening.fingerprint().equals(fingerprint)) {
        next.add(opening);
      }
    }
    next.add(new Opening(fingerprint, now));
    int tooMany = Math.max(0, next.size() - limits.opens() - 1);
    return new StormGroup(List.copyOf(next.subList(tooMany, next.size())), storm);
  }

  StormGroup without(List<Opening> others) {
    return new StormGroup(
        recent.stream().filter(opening -> !others.contains(opening)).toList(), storm);
  }

  StormGroup since(long unixNanos) {
    return new StormGroup(
        recent.stream().filter(opening -> opening.atUnixNanos() > unixNanos).toList(), storm);
  }

  StormGroup with(Storm next) {
    return new StormGroup(recent, next);
  }
}
