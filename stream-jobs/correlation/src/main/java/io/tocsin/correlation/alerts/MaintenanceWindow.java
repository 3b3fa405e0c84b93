package io.tocsin.correlation.alerts;

import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.correlation.calendar.Occurrences;
import java.util.Objects;

/**
 * Planned work: while it goes on, the alerts that it covers page nobody. What is still open when it
 * ends is paged then.
 *
 * @param name unique over all documents
 * @param alerts that it covers
 * @param occurrences when the work goes on, by the agents' clock
 */
public record MaintenanceWindow(String name, AlertMatcher alerts, Occurrences occurrences)
    implements Policy {

  /** A window of alerts and times. */
  public MaintenanceWindow {
    Objects.requireNonNull(name);
    Objects.requireNonNull(alerts);
    Objects.requireNonNull(occurrences);
  }

  /** Work that goes on once, from one moment to another. */
  public MaintenanceWindow(
      String name, AlertMatcher alerts, long startsAtUnixNanos, long endsAtUnixNanos) {
    this(name, alerts, new Occurrence(startsAtUnixNanos, endsAtUnixNanos));
  }
}
