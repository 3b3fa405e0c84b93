package io.tocsin.correlation.alerts;

import java.io.Serializable;
import java.time.Duration;

/**
 * When many alerts are one storm.
 *
 * @param opens more openings than that, of different alerts, within the window start a storm. While
 *     it lasts, alerts join it as long as more than half as many open within the window. It is over
 *     when no more than half as many members have been open for a whole window
 * @param window by the agents' clock
 * @param tellInterval least time between two news of its members, but that they have doubled
 */
public record StormLimits(int opens, Duration window, Duration tellInterval)
    implements Serializable {

  /** What holds where nothing is configured. */
  public static final StormLimits DEFAULT =
      new StormLimits(25, Duration.ofSeconds(10), Duration.ofSeconds(60));

  private static final int TICKS_PER_WINDOW = 10;

  /** A storm takes more than one alert. */
  public StormLimits {
    if (opens < 1 || window.toMillis() < TICKS_PER_WINDOW) {
      throw new IllegalArgumentException(
          "a storm of more than "
              + opens
              + " opens in "
              + window.toMillis()
              + " ms: give at least 1, and a window of at least "
              + TICKS_PER_WINDOW
              + " ms");
    }
  }

  long windowNanos() {
    return window.toNanos();
  }

  long tellIntervalNanos() {
    return tellInterval.toNanos();
  }

  /** So many are no storm any more. */
  int few() {
    return opens / 2;
  }

  /** The next time at which storms are looked at: few times, so that they share one timer. */
  long tickAfter(long unixNanos) {
    long tick = windowNanos() / TICKS_PER_WINDOW;
    return (Math.floorDiv(unixNanos, tick) + 1) * tick;
  }
}
