package io.tocsin.correlation.alerts;

import java.util.Objects;

/**
 * Planned work: while it lasts, the alerts that it covers page nobody. What is still open when it
 * ends is paged then.
 *
 * @param name unique over all documents
 * @param alerts that it covers
 * @param startsAtUnixNanos first moment, by the agents' clock
 * @param endsAtUnixNanos first moment after it, by the agents' clock
 */
public record MaintenanceWindow(
    String name, AlertMatcher alerts, long startsAtUnixNanos, long endsAtUnixNanos)
    implements Policy {

  /** A window of positive length. */
  public MaintenanceWindow {
    Objects.requireNonNull(name);
    Objects.requireNonNull(alerts);
    if (endsAtUnixNanos <= startsAtUnixNanos) {
      throw new IllegalArgumentException(
          "maintenance window " + name + " ends at or before its start: let it end later");
    }
  }

  /** Tells whether the work goes on at a moment. */
  public boolean isActiveAt(long unixNanos) {
    return startsAtUnixNanos <= unixNanos && unixNanos < endsAtUnixNanos;
  }
}
