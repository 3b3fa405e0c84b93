package io.tocsin.rules.match;

/**
 * What is kept of one figure of one device between polls. Flink keeps this record field by field,
 * so fields may be added later.
 *
 * @param isRaised the alert is raised
 * @param consecutive figures in a row that speak for the other state
 * @param newestUnixNanos when the newest figure was polled
 */
public record Hysteresis(boolean isRaised, int consecutive, long newestUnixNanos) {
  static final Hysteresis CALM = new Hysteresis(false, 0, Long.MIN_VALUE);
}
