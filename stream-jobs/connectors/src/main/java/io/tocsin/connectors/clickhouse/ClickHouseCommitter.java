package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
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
  private final Counter refusedBlocks;
  private final Histogram insertMillis;

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
      insert(request.getCommittable(), giveUpAtNanos);
    }
  }

  private void insert(Block block, long giveUpAtNanos) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        insertOnce(block);
        return;
      } catch (RetryableInsertException e) {
        insertRetries.inc();
        if (nanoClock.getAsLong() - giveUpAtNanos >= 0) {
          throw e;
        }
        long pauseMillis = backoff.pauseMillis(attempt);
        LOG.warn(
            "insert will be repeated in {} ms, attempt {}: {}",
            pauseMillis,
            attempt,
            e.getMessage());
        backoff.pause(pauseMillis);
        waitedMillis.inc(pauseMillis);
      } catch (IOException e) {
        refusedBlocks.inc();
        throw e;
      }
    }
  }

  private void insertOnce(Block block) throws IOException {
    long start = nanoClock.getAsLong();
    inserter.insert(block);
    insertMillis.update((nanoClock.getAsLong() - start) / NANOS_PER_MILLI);
    insertedBlocks.inc();
    insertedRows.inc(block.rows());
    insertedBytes.inc(block.zstdRowBinary().length);
  }

  @Override
  public void close() {
    inserter.close();
  }
}
