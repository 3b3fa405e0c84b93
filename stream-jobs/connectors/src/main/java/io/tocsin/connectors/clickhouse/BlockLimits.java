package io.tocsin.connectors.clickhouse;

import java.io.Serializable;

/**
 * How large blocks grow, and when the writer brakes.
 *
 * @param maxRows rows after which a block is sealed; the server splits an insert of more than
 *     1,048,449 rows, and a split would break the promise of the token
 * @param maxBytes bytes before compression after which a block is sealed
 * @param brakeAboveSealedBytes compressed bytes of one writer that may wait for a checkpoint at
 *     full speed
 * @param brakeMillisPerElement pause for each element above that
 */
public record BlockLimits(
    int maxRows, int maxBytes, long brakeAboveSealedBytes, long brakeMillisPerElement)
    implements Serializable {

  /**
   * 100,000 rows or 64 MiB a block, which are some 10 MiB compressed: each insert costs the server
   * a part of every table and roll-up, so few large ones are cheap. 64 MiB compressed, about 300
   * MiB of rows, between two checkpoints.
   */
  public static final BlockLimits DEFAULT = new BlockLimits(100_000, 64 << 20, 64L << 20, 2);
}
