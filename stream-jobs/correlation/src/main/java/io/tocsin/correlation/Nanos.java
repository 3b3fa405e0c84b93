package io.tocsin.correlation;

import java.time.Instant;

/** Unix nanoseconds, which rules count in, and milliseconds, which Flink's timers count in. */
public final class Nanos {
  /** Nanoseconds of a millisecond. */
  public static final long PER_MILLI = 1_000_000L;

  /** Nanoseconds of a second. */
  public static final long PER_SECOND = 1_000_000_000L;

  private Nanos() {}

  /** The first whole millisecond that is no earlier: a timer must not be early. */
  public static long toMillisUp(long nanos) {
    return -Math.floorDiv(-nanos, PER_MILLI);
  }

  /** Of a point in time between 1677 and 2262. */
  public static long of(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), PER_SECOND), instant.getNano());
  }

  /** The point in time. */
  public static Instant toInstant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  /** Saturates: before the first watermark there is no time, and after the last no end of it. */
  public static long ofMillis(long millis) {
    long bound = Long.MAX_VALUE / PER_MILLI;
    if (millis < -bound || millis > bound) {
      return millis < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return millis * PER_MILLI;
  }
}
