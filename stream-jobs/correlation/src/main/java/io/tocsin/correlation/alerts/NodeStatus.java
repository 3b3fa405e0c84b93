package io.tocsin.correlation.alerts;

/**
 * Where a part of a fault tree stands.
 *
 * @param depth gates above it
 * @param title what it is
 * @param downSince Unix nanoseconds by the agents' clock; {@link TreeStatus#NEVER} where it is up
 * @param isNext whether the top event would be true if it failed now
 */
public record NodeStatus(int depth, String title, long downSince, boolean isNext) {
  /** Whether it is down. */
  public boolean isDown() {
    return downSince != TreeStatus.NEVER;
  }
}
