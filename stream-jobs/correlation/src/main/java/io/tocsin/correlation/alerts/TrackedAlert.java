package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Severity;
import java.util.Map;

/**
 * All that is remembered of one fingerprint. Times are Unix nanoseconds; {@link #NEVER} where there
 * is none yet.
 *
 * <p>Flink keeps this record field by field, so fields may be added later. It is never given up for
 * an alert that was open once: the version must go on, or the newest row in ClickHouse would not be
 * the newest any more. What is left of a resolved alert is about 100 bytes, and their number is
 * bounded by what the installation monitors.
 *
 * @param version transitions so far; 0 for a fingerprint of which nothing but clears was heard
 * @param occurrence what is known of the open alert, null while it is not open
 * @param newestRaiseUnixNanos event time of the newest update that said the alert is active
 * @param newestClearUnixNanos event time of the newest update that said it is over
 * @param lastEventId id of the event that was handled last
 * @param forgetAtUnixNanos when a fingerprint that never opened is forgotten; {@link #NEVER} for
 *     the others
 */
public record TrackedAlert(
    long version,
    Occurrence occurrence,
    long newestRaiseUnixNanos,
    long newestClearUnixNanos,
    String lastEventId,
    long forgetAtUnixNanos) {

  /** Before every possible time. */
  public static final long NEVER = Long.MIN_VALUE;

  static final TrackedAlert UNKNOWN = new TrackedAlert(0, null, NEVER, NEVER, "", NEVER);

  /** Tells whether the alert is active. */
  public boolean isOpen() {
    return occurrence != null;
  }

  /**
   * One life of an alert, from the raise that opened it. Times are Unix nanoseconds of event time.
   *
   * @param severity of the newest raise
   * @param summary of the newest raise
   * @param labels of the newest raise
   * @param firstSeenUnixNanos oldest raise
   * @param lastSeenUnixNanos newest raise
   * @param updateCount raises, the opening one included
   * @param toldAtUnixNanos the raise that caused the last transition
   */
  public record Occurrence(
      Severity severity,
      String summary,
      Map<String, String> labels,
      long firstSeenUnixNanos,
      long lastSeenUnixNanos,
      long updateCount,
      long toldAtUnixNanos) {

    Occurrence toldAt(long unixNanos) {
      return new Occurrence(
          severity, summary, labels, firstSeenUnixNanos, lastSeenUnixNanos, updateCount, unixNanos);
    }
  }
}
