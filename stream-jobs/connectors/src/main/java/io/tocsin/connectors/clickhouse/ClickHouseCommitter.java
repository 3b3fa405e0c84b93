package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inserts the blocks of a completed checkpoint, each with its own token.
 *
 * <p>Where ClickHouse is away it waits here, with growing pauses, instead of handing the block
 * back: the writer before it shares its thread, so reading from Kafka stops and nothing piles up.
 * After {@link #GIVE_UP_AFTER} it fails, Flink restarts the job from the checkpoint and the same
 * blocks come again.
 */
final class ClickHouseCommitter implements Committer<Block> {
  static final Duration GIVE_UP_AFTER = Duration.ofMinutes(5);

  private static final Logger LOG = LoggerFactory.getLogger(ClickHouseCommitter.class);

  private final BlockInserter inserter;
  private final Backoff backoff;
  private final Counter insertedBlocks;
  private final Counter insertedRows;
  private final Counter insertRetries;

  ClickHouseCommitter(BlockInserter inserter, Backoff backoff, MetricGroup metrics) {
    this.inserter = inserter;
    this.backoff = backoff;
    this.insertedBlocks = metrics.counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL);
    this.insertedRows = metrics.counter(ClickHouseSink.INSERTED_ROWS_TOTAL);
    this.insertRetries = metrics.counter(ClickHouseSink.INSERT_RETRIES_TOTAL);
  }

  @Override
  public void commit(Collection<CommitRequest<Block>> requests)
      throws IOException, InterruptedException {
    for (CommitRequest<Block> request : requests) {
      insert(request.getCommittable());
    }
  }

  private void insert(Block block) throws IOException, InterruptedException {
    long waitedMillis = 0;
    for (int attempt = 1; ; attempt++) {
      try {
        inserter.insert(block);
        insertedBlocks.inc();
        insertedRows.inc(block.rows());
        return;
      } catch (RetryableInsertException e) {
        insertRetries.inc();
        if (waitedMillis >= GIVE_UP_AFTER.toMillis()) {
          throw e;
        }
        long pauseMillis = backoff.pauseMillis(attempt);
        LOG.warn(
            "insert will be repeated in {} ms, attempt {}: {}",
            pauseMillis,
            attempt,
            e.getMessage());
        backoff.pause(pauseMillis);
        waitedMillis += pauseMillis;
      }
    }
  }

  @Override
  public void close() {
    inserter.close();
  }
}
