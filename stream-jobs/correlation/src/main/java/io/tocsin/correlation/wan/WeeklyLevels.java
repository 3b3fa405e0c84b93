package io.tocsin.correlation.wan;

import io.tocsin.correlation.Nanos;
import java.util.Arrays;

/**
 * How busy a link usually is in each hour of the week, UTC: the level of the same hour in the last
 * four weeks that were seen. Unlike {@link Baseline} it learns within episodes too, or an hour that
 * is slow every Monday would stay an episode for ever. Of two or more weeks the lower middle one
 * counts, so that trouble in one week never becomes usual.
 *
 * <p>Takes memory only once it has learned: 5.4 kB a link. Clocks that change in spring and autumn
 * move the busy hours against UTC; two weeks later they are known again.
 */
public final class WeeklyLevels {
  private static final int HOURS = 168;
  private static final int WEEKS = 4;
  private static final int MINUTES = 60;
  private static final long NANOS_PER_MINUTE = 60 * Nanos.PER_SECOND;
  private static final long NANOS_PER_HOUR = MINUTES * NANOS_PER_MINUTE;

  /** Work does not begin on the stroke of the hour. */
  private static final long NEIGHBOUR_NANOS = 10 * NANOS_PER_MINUTE;

  /** Nine minutes in ten of an hour are no slower than its level. */
  private static final double LEVEL = 0.9;

  /** Levels of round-trip times, hour by hour, four weeks each; empty before the first. */
  public float[] mediansMs = {};

  /** Levels of the differences from one round-trip time to the next, likewise. */
  public float[] jumpsMs = {};

  /** The first block of each minute of this hour, in the order of coming. */
  public float[] minuteMediansMs = {};

  /** Likewise the differences. */
  public float[] minuteJumpsMs = {};

  /** Minutes of this hour that have a block. */
  public int minutes;

  /** The newest of them, since 1970; its hour is the one that is being learned. */
  public long newestMinute;

  /** Nothing is known. */
  public WeeklyLevels() {}

  /** Takes a block that tells the level, whether or not it is within an episode. */
  void learn(Block block, long atUnixNanos, int intervalMs) {
    long minute = Math.floorDiv(atUnixNanos, NANOS_PER_MINUTE);
    if (minute / MINUTES != newestMinute / MINUTES) {
      conclude(intervalMs);
      minutes = 0;
    }
    if (minutes > 0 && minute == newestMinute) {
      return;
    }
    if (minuteMediansMs.length == 0) {
      minuteMediansMs = new float[MINUTES];
      minuteJumpsMs = new float[MINUTES];
    }
    newestMinute = minute;
    minuteMediansMs[minutes] = block.medianMs();
    minuteJumpsMs[minutes] = block.jumpMs();
    minutes++;
  }

  /** An hour of which less than half was seen says nothing. */
  private void conclude(int intervalMs) {
    long blocksAnHour = Math.max(1, NANOS_PER_HOUR / (Block.PROBES * intervalMs * Nanos.PER_MILLI));
    if (minutes == 0 || 2 * minutes < Math.min(MINUTES, blocksAnHour)) {
      return;
    }
    if (mediansMs.length == 0) {
      mediansMs = unknown();
      jumpsMs = unknown();
    }
    long hour = newestMinute / MINUTES;
    int week = (int) Math.floorMod(Math.floorDiv(hour, HOURS), (long) WEEKS);
    int slot = (int) Math.floorMod(hour, (long) HOURS) * WEEKS + week;
    mediansMs[slot] = Quantiles.at(LEVEL, minuteMediansMs, minutes);
    jumpsMs[slot] = Quantiles.at(LEVEL, minuteJumpsMs, minutes);
  }

  private static float[] unknown() {
    float[] levels = new float[HOURS * WEEKS];
    Arrays.fill(levels, Float.NaN);
    return levels;
  }

  /** The usual round-trip time around this time of the week; 0 where two weeks are not known. */
  float medianMs(long atUnixNanos) {
    return aroundNow(mediansMs, atUnixNanos);
  }

  /** The usual difference from one round-trip time to the next; 0 where it is not known. */
  float jumpMs(long atUnixNanos) {
    return aroundNow(jumpsMs, atUnixNanos);
  }

  /** From the one time to the other are two hours at most, and now is in one of them. */
  private static float aroundNow(float[] levels, long atUnixNanos) {
    if (levels.length == 0) {
      return 0;
    }
    return Math.max(
        usual(levels, atUnixNanos - NEIGHBOUR_NANOS), usual(levels, atUnixNanos + NEIGHBOUR_NANOS));
  }

  private static float usual(float[] levels, long atUnixNanos) {
    int of = (int) Math.floorMod(Math.floorDiv(atUnixNanos, NANOS_PER_HOUR), (long) HOURS) * WEEKS;
    float[] known = new float[WEEKS];
    int weeks = 0;
    for (int week = 0; week < WEEKS; week++) {
      if (!Float.isNaN(levels[of + week])) {
        known[weeks++] = levels[of + week];
      }
    }
    return weeks < 2 ? 0 : Quantiles.at(0.5, known, weeks);
  }

  /** Forgets everything: another path has other levels. */
  void clear() {
    mediansMs = new float[0];
    jumpsMs = new float[0];
    minutes = 0;
  }
}
