package io.tocsin.testsupport;

import java.time.Duration;
import java.time.Instant;

/**
 * Named instants, so that tests read as stories. Event time is Unix nanoseconds everywhere in
 * Tocsin.
 */
public final class Instants {
  /** When every story begins. */
  public static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

  /** One second into the story. */
  public static final Instant A_SECOND_LATER = NOON.plusSeconds(1);

  /** Two seconds into the story. */
  public static final Instant TWO_SECONDS_LATER = NOON.plusSeconds(2);

  /** Half a minute into the story. */
  public static final Instant HALF_A_MINUTE_LATER = NOON.plusSeconds(30);

  /** One minute into the story. */
  public static final Instant A_MINUTE_LATER = NOON.plus(Duration.ofMinutes(1));

  /** One hour into the story. */
  public static final Instant AN_HOUR_LATER = NOON.plus(Duration.ofHours(1));

  private Instants() {}

  /** Unix nanoseconds of an instant. */
  public static long unixNanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }
}
