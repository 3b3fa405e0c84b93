package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inserts the blocks of a completed checkpoint, each with its own token.
 *
 * <p>Where ClickHouse is away it waits here, with growing pauses, instead of handing the block
 * back: no later checkpoint completes, and the writer's brake bounds what piles up. {@link
 * #GIVE_UP_AFTER} after it began it fails, Flink restarts the job from the checkpoint and the same
 * blocks come again.
 *
 * <p>Where ClickHouse refuses a block for good, the block goes into the quarantine, and the others
 * go on. From then on it belongs to the quarantine: a job that restarts before its checkpoint has
 * ended commits the block again, finds it there and leaves it, or it might be stored twice, now and
 * by `tocsin quarantine insert`. Where the quarantine refuses it too, the job fails.
 */
final class ClickHouseCommitter implements Committer<Block> {
  /** Below the timeout of checkpoints, which wait meanwhile. */
  static final Duration GIVE_UP_AFTER = Duration.ofMinutes(5);

  /** How many inserts the histogram of their durations looks back. */
  private static final int NEWEST_INSERTS = 1_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(ClickHouseCommitter.class);

  private final BlockInserter inserter;
  private final Backoff backoff;
  private final LongSupplier nanoClock;
  private final Counter insertedBlocks;
  private final Counter insertedRows;
  private final Counter insertedBytes;
  private final Counter insertRetries;
  private final Counter waitedMillis;
  private final Counter quarantinedBlocks;
  private final Counter quarantinedRows;
  private final Counter refusedBlocks;
  private final Histogram insertMillis;

  /** Asked for once: only a run before this one can have quarantined a block that comes here. */
  private Set<String> quarantinedBefore;

  /**
   * A committer that owns its inserter.
   *
   * @param nanoClock a clock for durations, as {@link System#nanoTime}
   */
  ClickHouseCommitter(
      BlockInserter inserter, Backoff backoff, LongSupplier nanoClock, MetricGroup metrics) {
    this.inserter = inserter;
    this.backoff = backoff;
    this.nanoClock = nanoClock;
    this.insertedBlocks = metrics.counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL);
    this.insertedRows = metrics.counter(ClickHouseSink.INSERTED_ROWS_TOTAL);
    this.insertedBytes = metrics.counter(ClickHouseSink.INSERTED_BYTES_TOTAL);
    this.insertRetries = metrics.counter(ClickHouseSink.INSERT_RETRIES_TOTAL);
    this.waitedMillis = metrics.counter(ClickHouseSink.INSERT_WAIT_MILLIS_TOTAL);
    this.quarantinedBlocks = metrics.counter(ClickHouseSink.QUARANTINED_BLOCKS_TOTAL);
    this.quarantinedRows = metrics.counter(ClickHouseSink.QUARANTINED_ROWS_TOTAL);
    this.refusedBlocks = metrics.counter(ClickHouseSink.REFUSED_BLOCKS_TOTAL);
    this.insertMillis =
        metrics.histogram(
            ClickHouseSink.INSERT_MILLIS, new DescriptiveStatisticsHistogram(NEWEST_INSERTS));
  }

  @Override
  public void commit(Collection<CommitRequest<Block>> requests)
      throws IOException, InterruptedException {
    long giveUpAtNanos = nanoClock.getAsLong() + GIVE_UP_AFTER.toNanos();
    for (CommitRequest<Block> request : requests) {
      commit(request.getCommittable(), giveUpAtNanos);
    }
  }

  private void commit(Block block, long giveUpAtNanos) throws IOException, InterruptedException {
    if (quarantinedBefore == null) {
      quarantinedBefore = patiently(inserter::quarantinedTokens, giveUpAtNanos);
    }
    if (quarantinedBefore.contains(block.deduplicationToken())) {
      LOG.warn("{} is in the quarantine since before a restart, and stays there", block);
      return;
    }
    try {
      insert(block, giveUpAtNanos);
    } catch (RetryableInsertException e) {
      throw e;
    } catch (IOException refusal) {
      boolean isStored = isStoredWithoutRefusingViews(block, giveUpAtNanos);
      quarantine(block, refusal, isStored, giveUpAtNanos);
    }
  }

  private void insert(Block block, long giveUpAtNanos) throws IOException, InterruptedException {
    long nanos =
        patiently(
            () -> {
              long start = nanoClock.getAsLong();
              inserter.insert(block);
              return nanoClock.getAsLong() - start;
            },
            giveUpAtNanos);
    insertMillis.update(nanos / NANOS_PER_MILLI);
    countInserted(block);
  }

  /** Whether it was a materialized view that refused the block, and not the table. */
  private boolean isStoredWithoutRefusingViews(Block block, long giveUpAtNanos)
      throws IOException, InterruptedException {
    try {
      patiently(
          () -> {
            inserter.insertWithoutRefusingViews(block);
            return true;
          },
          giveUpAtNanos);
    } catch (RetryableInsertException e) {
      throw e;
    } catch (IOException e) {
      return false;
    }
    countInserted(block);
    return true;
  }

  private void countInserted(Block block) {
    insertedBlocks.inc();
    insertedRows.inc(block.rows());
    insertedBytes.inc(block.zstdRowBinary().length);
  }

  private void quarantine(Block block, IOException refusal, boolean isStored, long giveUpAtNanos)
      throws IOException, InterruptedException {
    Block row = Quarantine.of(block, refusal.getMessage(), isStored);
    try {
      patiently(
          () -> {
            inserter.insert(row);
            return true;
          },
          giveUpAtNanos);
    } catch (RetryableInsertException e) {
      throw e;
    } catch (IOException e) {
      refusedBlocks.inc();
      e.addSuppressed(refusal);
      throw e;
    }
    quarantinedBlocks.inc();
    quarantinedRows.inc(block.rows());
    LOG.error(
        "{} is in the quarantine; its table has {} of its rows. Mend what the error says, then run `tocsin quarantine insert`",
        block,
        isStored ? "all" : "none",
        refusal);
  }

  /** What the server answers once it does. */
  private <T> T patiently(Request<T> request, long giveUpAtNanos)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return request.send();
      } catch (RetryableInsertException e) {
        insertRetries.inc();
        if (nanoClock.getAsLong() - giveUpAtNanos >= 0) {
          throw e;
        }
        long pauseMillis = backoff.pauseMillis(attempt);
        LOG.warn("repeated in {} ms, attempt {}: {}", pauseMillis, attempt, e.getMessage());
        backoff.pause(pauseMillis);
        waitedMillis.inc(pauseMillis);
      }
    }
  }

  @FunctionalInterface
  private interface Request<T> {
    T send() throws IOException;
  }

  @Override
  public void close() {
    inserter.close();
  }
}
