package io.tocsin.correlation.alerts;

import java.util.List;

/**
 * Where a fault tree stands. Times are Unix nanoseconds by the agents' clock; {@link #NEVER} where
 * something is not so.
 *
 * @param tree that is meant
 * @param topFrom since when the top event is true
 * @param redundancyLostFrom since when one more failure would make it true
 * @param cutSets smallest sets of what is down that make the top event true; some of them
 * @param hasMoreCutSets whether there may be others
 * @param down what is down
 * @param next names of what would make the top event true if it failed now
 * @param eventId of the newest failure; empty where nothing is down
 */
public record TreeStatus(
    FaultTree tree,
    long topFrom,
    long redundancyLostFrom,
    List<List<String>> cutSets,
    boolean hasMoreCutSets,
    List<DownPart> down,
    List<String> next,
    String eventId) {
  /** After every possible time. */
  public static final long NEVER = Long.MAX_VALUE;

  /**
   * A leaf or a tree that is down.
   *
   * @param name of the part
   * @param fingerprint of its oldest alert that is down
   * @param eventId of the event behind it
   */
  public record DownPart(String name, String fingerprint, String eventId) {}

  /** Names of what is down. */
  public List<String> downNames() {
    return down.stream().map(DownPart::name).toList();
  }

  /** Whether the top event is true. */
  public boolean isTop() {
    return topFrom != NEVER;
  }

  /** Whether one more failure would make the top event true. */
  public boolean isRedundancyLost() {
    return redundancyLostFrom != NEVER;
  }
}
