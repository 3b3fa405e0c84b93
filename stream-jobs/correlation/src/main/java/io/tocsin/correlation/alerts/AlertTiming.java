package io.tocsin.correlation.alerts;

import java.io.Serializable;
import java.time.Duration;

/**
 * Durations and counts of the life of an alert.
 *
 * @param refreshInterval least event time between {@code refreshed} transitions
 * @param forgetAfter how long an alert that is over is remembered, by the agents' clock: a raise
 *     that was sent before its clear and comes later than that opens the alert
 * @param flappingOpens openings within {@code flappingWindow} that make an alert flap; it is calm
 *     when no more than half as many are left in the window
 * @param flappingWindow by the agents' clock
 * @param maxClockDeviation how far a device's clock may be from the agents' before it is set right:
 *     longer than news can be on its way, shorter than a wrong time zone
 */
public record AlertTiming(
    Duration refreshInterval,
    Duration forgetAfter,
    int flappingOpens,
    Duration flappingWindow,
    Duration maxClockDeviation)
    implements Serializable {

  /** What holds where nothing is configured. */
  public static final AlertTiming DEFAULT =
      new AlertTiming(
          Duration.ofSeconds(60),
          Duration.ofHours(24),
          5,
          Duration.ofMinutes(10),
          Duration.ofMinutes(5));

  /** Flapping takes at least two openings. */
  public AlertTiming {
    if (flappingOpens < 2) {
      throw new IllegalArgumentException(
          "flapping from " + flappingOpens + " openings on: give at least 2");
    }
  }

  long refreshIntervalNanos() {
    return refreshInterval.toNanos();
  }

  long forgetAfterNanos() {
    return forgetAfter.toNanos();
  }

  long flappingWindowNanos() {
    return flappingWindow.toNanos();
  }

  long maxClockDeviationNanos() {
    return maxClockDeviation.toNanos();
  }
}
