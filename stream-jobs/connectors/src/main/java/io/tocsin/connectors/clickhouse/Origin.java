package io.tocsin.connectors.clickhouse;

import java.io.Serializable;

/**
 * Where rows come from: the partition that they were read from, and the listener, in one run of an
 * agent, whose records they are.
 *
 * @param topic empty where the rows are of no topic
 * @param agentId empty where no agent counts the rows as records of its own
 * @param bootId run of the agent
 * @param listener of the agent
 */
public record Origin(String topic, int partition, String agentId, long bootId, String listener)
    implements Serializable {
  /** Of rows whose origin nobody asks for. */
  public static final Origin UNKNOWN = new Origin("", 0, "", 0, "");

  /** Names longer than this are nobody's, and would not go into a checkpoint. */
  private static final int LONGEST_NAME = 1_000;

  /** Cuts what is too long to be a name. */
  public Origin {
    agentId = cut(agentId);
    listener = cut(listener);
  }

  private static String cut(String name) {
    return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
  }

  /**
   * Rows of one origin in one block.
   *
   * @param firstOffset lowest offset in the partition
   * @param lastOffset highest one
   * @param rows how many there are
   */
  record Stretch(Origin origin, long firstOffset, long lastOffset, int rows) {
    Stretch and(Stretch other) {
      return new Stretch(
          origin,
          Math.min(firstOffset, other.firstOffset),
          Math.max(lastOffset, other.lastOffset),
          rows + other.rows);
    }
  }
}
