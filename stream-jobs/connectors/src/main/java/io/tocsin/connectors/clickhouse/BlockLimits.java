package io.tocsin.connectors.clickhouse;

import java.io.Serializable;
import java.time.Duration;

/**
 * How large blocks grow, and when the writer brakes.
 *
 * @param maxRows rows after which a block is sealed; the server splits an insert of more than
 *     1,048,449 rows, and a split would break the promise of the token
 * @param maxBytes bytes before compression after which a block is sealed
 * @param brakeAboveSealedBytes compressed bytes of one writer that may wait for a checkpoint at
 *     full speed
 * @param brakeMillisPerElement pause for each element above that, the shortest
 * @param patience how old rows of a table that nobody waits for are at least when a checkpoint
 *     takes them ({@link RowEncoder#isAwaited})
 */
public record BlockLimits(
    int maxRows,
    int maxBytes,
    long brakeAboveSealedBytes,
    long brakeMillisPerElement,
    Duration patience)
    implements Serializable {

  /**
   * 100,000 rows or 64 MiB a block, which are some 10 MiB compressed: each insert costs the server
   * a part of every table and roll-up, so few large ones are cheap. 64 MiB compressed, about 300
   * MiB of rows, between two checkpoints. With a checkpoint each two seconds, every other takes
   * what nobody waits for.
   */
  public static final BlockLimits DEFAULT =
      new BlockLimits(100_000, 64 << 20, 64L << 20, 2, Duration.ofSeconds(2));

  private static final int BRAKE_STEPS = 9;

  /**
   * The pause for an element while so much waits: it doubles with each sixteenth above the limit,
   * up to 512 times the shortest. With the usual limits that is an element a second at 100 MiB.
   */
  long brakeMillis(long sealedBytes) {
    long above = sealedBytes - brakeAboveSealedBytes;
    return above < 0
        ? 0
        : brakeMillisPerElement << Math.min(BRAKE_STEPS, above * 16 / brakeAboveSealedBytes);
  }
}
