package io.tocsin.jobs;

import java.time.Duration;

/**
 * How long a message may wait for others that share its buffer or fetch. On a busy broker most of
 * what a job costs is the number of fetches and buffers, not of messages.
 */
public enum Buffering {
  /**
   * A person or another system waits for the answer: every message leaves at once. Between the
   * tasks of these jobs goes little, and an alert goes three such ways. A wait of some milliseconds
   * would not be cheaper: each task would have a thread that wakes as often.
   */
  LOW_LATENCY(Duration.ZERO, Duration.ZERO),

  /**
   * A row is seen at a commit, two seconds apart: up to 250 ms at the broker, and between tasks as
   * in {@link #BATCHED}, because a commit sends what waits.
   */
  COMMITTED(Duration.ofMillis(500), Duration.ofMillis(250)),

  /**
   * What comes of it is late by seconds anyway, by the wait for event time: up to 500 ms at the
   * broker, and as long between tasks. It is not Flink's usual 100 ms, because each task that waits
   * so has a thread that wakes as often, and each fetch wakes a broker and a reader.
   */
  BATCHED(Duration.ofMillis(500), Duration.ofMillis(500));

  private final Duration bufferTimeout;
  private final Duration fetchWait;

  Buffering(Duration bufferTimeout, Duration fetchWait) {
    this.bufferTimeout = bufferTimeout;
    this.fetchWait = fetchWait;
  }

  /** After this a network buffer leaves, full or not; zero for with every message. */
  public Duration bufferTimeout() {
    return bufferTimeout;
  }

  /** How long the broker may wait for more events before it answers a fetch. */
  public Duration fetchWait() {
    return fetchWait;
  }
}
