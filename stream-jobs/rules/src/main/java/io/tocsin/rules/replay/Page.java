package io.tocsin.rules.replay;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Severity;

/**
 * One time that the pager was told of an alert, until it was told the end.
 *
 * @param alert as it was posted first
 * @param beganAtUnixNanos when it was posted
 * @param endedAtUnixNanos when its end was posted; {@link #LASTS} where it was not
 * @param worst severity that was posted
 * @param end the last word: resolved, expired or suppressed; null while it lasts
 */
public record Page(
    Alert alert, long beganAtUnixNanos, long endedAtUnixNanos, Severity worst, Alert end) {
  /** Of a page without an end. */
  public static final long LASTS = Long.MAX_VALUE;

  boolean overlaps(Page other) {
    return beganAtUnixNanos < other.endedAtUnixNanos && other.beganAtUnixNanos < endedAtUnixNanos;
  }

  boolean lastsAt(long unixNanos) {
    return beganAtUnixNanos <= unixNanos && unixNanos < endedAtUnixNanos;
  }
}
