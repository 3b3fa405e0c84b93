package io.tocsin.connectors;

import java.time.Duration;
import java.util.Random;

/**
 * Pauses between attempts: they double from the first to the longest, and each is cut by up to half
 * at random, so that what failed together does not return together.
 */
public class Backoff {
  private final long firstMillis;
  private final long longestMillis;
  private final Random random;

  /**
   * Pauses from the first to the longest; the random numbers are the caller's, so that tests can
   * fix them.
   */
  public Backoff(Duration first, Duration longest, Random random) {
    this.firstMillis = first.toMillis();
    this.longestMillis = longest.toMillis();
    this.random = random;
  }

  /**
   * Length of the pause after a failed attempt.
   *
   * @param attempt counted from 1
   */
  public long pauseMillis(int attempt) {
    long full = longestMillis;
    if (attempt < Long.SIZE && longestMillis >> (attempt - 1) >= firstMillis) {
      full = firstMillis << (attempt - 1);
    }
    return full - (long) (random.nextDouble() * full / 2);
  }

  /** Waits; tests override it to make time virtual. */
  public void pause(long millis) throws InterruptedException {
    Thread.sleep(millis);
  }
}
