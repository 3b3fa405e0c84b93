package io.tocsin.embedded.supervise;

import java.time.Duration;

/**
 * How long to wait before what has crashed is started again: twice as long each time, from half a
 * second to half a minute, and from the beginning once it has run for a minute.
 */
public final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final Duration STEADY = Duration.ofMinutes(1);

  private Duration next = FIRST;

  /** The wait after a crash of what had run for this long. */
  public Duration after(Duration ran) {
    if (ran.compareTo(STEADY) >= 0) {
      next = FIRST;
    }
    Duration wait = next;
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    return wait;
  }
}
