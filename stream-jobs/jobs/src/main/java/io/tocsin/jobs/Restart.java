package io.tocsin.jobs;

import java.time.Duration;

/**
 * When a job starts again after a failure. What dies takes tasks of every job with it, and all of
 * them would load, restore and connect on what is left of the processors at the same time: a page
 * then waited twice as long for its successors.
 */
public enum Restart {
  /** At once: somebody is not paged meanwhile. */
  PAGES_FIRST(Duration.ZERO),

  /** When those that page are at work again, as far as anybody can tell. */
  AFTER_PAGES(Duration.ofSeconds(4));

  /**
   * A job that was at work for so long starts as soon as after its first failure. Each pause is
   * longer than the one before, and Flink adds them up for an hour: the fifth task manager that
   * died while nodes were replaced one after the other cost a pause of 7 s, the sixth 10.
   */
  static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(1);

  private final Duration after;

  Restart(Duration after) {
    this.after = after;
  }

  /** On top of what Flink's configuration says (exponential-delay.initial-backoff). */
  Duration after() {
    return after;
  }
}
