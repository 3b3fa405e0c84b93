package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
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
 * back, and for as long as it takes: no later checkpoint completes, and what is read piles up until
 * the channel between writer and committer is full. It does not give up, because a job that failed
 * would begin again at this checkpoint and be no further.
 *
 * <p>Where ClickHouse refuses a block for good, the block goes into the quarantine, and the others
 * go on. From then on it belongs to the quarantine: a job that restarts before its checkpoint has
 * ended commits the block again, finds it there and leaves it, or it might be stored twice, now and
 * by `tocsin quarantine insert`. Where the quarantine refuses it too, the job fails.
 */
final class ClickHouseCommitter implements Committer<Block> {
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

  // Written by the task, read by whoever reads metrics.
  private volatile int waitingBlocks;
  private volatile long waitingSinceNanos;

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
    metrics.gauge(ClickHouseSink.WAITING_BLOCKS, () -> waitingBlocks);
    metrics.gauge(ClickHouseSink.WAITING_MILLIS, this::waitingMillis);
    this.insertMillis =
        metrics.histogram(
            ClickHouseSink.INSERT_MILLIS, new DescriptiveStatisticsHistogram(NEWEST_INSERTS));
  }

  @Override
  public void commit(Collection<CommitRequest<Block>> requests)
      throws IOException, InterruptedException {
    waitingSinceNanos = nanoClock.getAsLong();
    waitingBlocks = requests.size();
    for (CommitRequest<Block> request : requests) {
      commit(request.getCommittable());
      waitingBlocks -= 1;
    }
  }

  private void commit(Block block) throws IOException, InterruptedException {
    if (quarantinedBefore == null) {
      quarantinedBefore = patiently(inserter::quarantinedTokens);
    }
    if (quarantinedBefore.contains(block.deduplicationToken())) {
      LOG.warn("{} is in the quarantine since before a restart, and stays there", block);
      return;
    }
    try {
      insert(block);
    } catch (IOException refusal) {
      boolean isStored = isStoredWithoutRefusingViews(block);
      quarantine(block, refusal, isStored);
    }
  }

  private void insert(Block block) throws IOException, InterruptedException {
    long nanos =
        patiently(
            () -> {
              long start = nanoClock.getAsLong();
              inserter.insert(block);
              return nanoClock.getAsLong() - start;
            });
    insertMillis.update(nanos / NANOS_PER_MILLI);
    countInserted(block);
  }

  /** Whether it was a materialized view that refused the block, and not the table. */
  private boolean isStoredWithoutRefusingViews(Block block)
      throws IOException, InterruptedException {
    try {
      patiently(
          () -> {
            inserter.insertWithoutRefusingViews(block);
            return true;
          });
    } catch (IOException e) {
      return false;
    }
    countInserted(block);
    return true;
  }

  private long waitingMillis() {
    return waitingBlocks == 0 ? 0 : (nanoClock.getAsLong() - waitingSinceNanos) / NANOS_PER_MILLI;
  }

  private void countInserted(Block block) {
    insertedBlocks.inc();
    insertedRows.inc(block.rows());
    insertedBytes.inc(block.zstdRows().length);
  }

  private void quarantine(Block block, IOException refusal, boolean isStored)
      throws IOException, InterruptedException {
    Block row = Quarantine.of(block, refusal.getMessage(), isStored);
    try {
      patiently(
          () -> {
            inserter.insert(row);
            return true;
          });
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
  private <T> T patiently(Request<T> request) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return request.send();
      } catch (RetryableInsertException e) {
        insertRetries.inc();
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
