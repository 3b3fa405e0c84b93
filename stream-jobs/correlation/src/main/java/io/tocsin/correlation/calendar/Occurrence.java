package io.tocsin.correlation.calendar;

import io.tocsin.correlation.Nanos;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;

/**
 * Something that goes on once.
 *
 * @param startsAtUnixNanos first moment
 * @param endsAtUnixNanos first moment after it
 */
public record Occurrence(long startsAtUnixNanos, long endsAtUnixNanos) implements Occurrences {
  /** One of positive length. */
  public Occurrence {
    if (endsAtUnixNanos <= startsAtUnixNanos) {
      throw new IllegalArgumentException("it ends at or before its start: let it end later");
    }
  }

  /**
   * From one time of a place to another, as its clocks show them. A time that they skip is as much
   * later as they are put forward, and of one that they show twice the first is meant; so RFC 5545
   * has it. Where that leaves no length, it has the length that it has on other days.
   *
   * @throws IllegalArgumentException where it ends at or before its start
   * @throws ArithmeticException before 1677 and after 2262
   */
  public static Occurrence of(LocalDateTime starts, LocalDateTime ends, ZoneId zone) {
    long start = unixNanos(starts, zone);
    long end = unixNanos(ends, zone);
    return end > start || !ends.isAfter(starts)
        ? new Occurrence(start, end)
        : new Occurrence(start, start + Duration.between(starts, ends).toNanos());
  }

  private static long unixNanos(LocalDateTime time, ZoneId zone) {
    return Nanos.of(time.atZone(zone).toInstant());
  }

  @Override
  public boolean isOnAt(long unixNanos) {
    return startsAtUnixNanos <= unixNanos && unixNanos < endsAtUnixNanos;
  }

  @Override
  public Optional<Occurrence> firstEndingAfter(long unixNanos) {
    return unixNanos < endsAtUnixNanos ? Optional.of(this) : Optional.empty();
  }
}
