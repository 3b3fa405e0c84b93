package io.tocsin.rules.match;

import java.time.Duration;

/**
 * What is kept of one figure of one device between polls. Flink keeps this record field by field,
 * so fields may be added later.
 *
 * @param isRaised the alert is raised
 * @param consecutive figures in a row that speak for the other state
 * @param newestUnixNanos when the newest figure was polled
 */
public record Hysteresis(boolean isRaised, int consecutive, long newestUnixNanos) {
  /** A figure that nobody has polled for so long is forgotten. */
  public static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

  static final Hysteresis CALM = new Hysteresis(false, 0, Long.MIN_VALUE);

  /** Whether a figure is forgotten at a time in Unix nanoseconds. */
  public boolean isForgottenAt(long unixNanos) {
    return unixNanos - newestUnixNanos >= FORGOTTEN_AFTER.toNanos();
  }
}
