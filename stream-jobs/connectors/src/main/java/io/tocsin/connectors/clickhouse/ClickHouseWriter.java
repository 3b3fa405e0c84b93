package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.clickhouse.TableRouter.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes elements into blocks, one open block a table, and hands them over at the checkpoint. See
 * {@link ClickHouseSink}.
 */
final class ClickHouseWriter<T>
    implements CommittingSinkWriter<T, Block>, StatefulSinkWriter<T, Block> {
  private static final Logger LOG = LoggerFactory.getLogger(ClickHouseWriter.class);

  private final TableRouter<T> router;
  private final BlockLimits limits;
  private final LongSupplier nanoClock;
  private final Map<String, BlockBuilder> openBlocks = new HashMap<>();
  private final List<Block> sealedBlocks = new ArrayList<>();
  private final Counter encodedRows;
  private final Counter rejectedRows;
  private final Counter brakeMillis;
  private long sealedBytes;
  private boolean isEndOfInput;
  private boolean isRejectLogged;

  /**
   * A writer.
   *
   * @param kept blocks that a checkpoint kept and no commit has
   * @param nanoClock a clock for durations, as {@link System#nanoTime}
   */
  ClickHouseWriter(
      TableRouter<T> router,
      BlockLimits limits,
      Collection<Block> kept,
      LongSupplier nanoClock,
      MetricGroup metrics) {
    this.router = router;
    this.limits = limits;
    this.nanoClock = nanoClock;
    kept.forEach(this::addSealed);
    this.encodedRows = metrics.counter(ClickHouseSink.ENCODED_ROWS_TOTAL);
    this.rejectedRows = metrics.counter(ClickHouseSink.REJECTED_ROWS_TOTAL);
    this.brakeMillis = metrics.counter(ClickHouseSink.BRAKE_MILLIS_TOTAL);
    metrics.gauge(ClickHouseSink.SEALED_BYTES, () -> sealedBytes);
  }

  @Override
  public void write(T element, Context context) throws InterruptedException {
    if (!router.stores(element)) {
      return;
    }
    try {
      add(router.rowOf(element));
    } catch (IllegalArgumentException e) {
      reject(element, e);
    }
    brake();
  }

  private void reject(T element, IllegalArgumentException reason) {
    rejectedRows.inc();
    if (!isRejectLogged) {
      LOG.warn(
          "a row does not fit its table and is stored as a reject; counted as {}, logged once",
          ClickHouseSink.REJECTED_ROWS_TOTAL,
          reason);
      isRejectLogged = true;
    }
    add(router.rejectOf(element, String.valueOf(reason.getMessage())));
  }

  private <E> void add(Row<E> row) {
    RowEncoder<E> encoder = row.encoder();
    BlockBuilder block =
        openBlocks.computeIfAbsent(encoder.table(), table -> new BlockBuilder(encoder, nanoClock));
    block.add(row.element(), encoder);
    block.note(row.origin(), row.offset());
    encodedRows.inc();
    if (block.rows() >= limits.maxRows() || block.bytes() >= limits.maxBytes()) {
      seal(block);
    }
  }

  private void seal(BlockBuilder builder) {
    addSealed(builder.seal());
  }

  private void addSealed(Block block) {
    sealedBlocks.add(block);
    sealedBytes += block.zstdRows().length;
  }

  /**
   * Slows down, and never stops, when more waits for the checkpoint than the limit allows: the
   * checkpoint's barrier comes through this same thread, after at most the elements that were
   * before it.
   */
  private void brake() throws InterruptedException {
    long pauseMillis = limits.brakeMillis(sealedBytes);
    if (pauseMillis > 0) {
      Thread.sleep(pauseMillis);
      brakeMillis.inc(pauseMillis);
    }
  }

  @Override
  public void flush(boolean isEndOfInput) {
    // Rows leave by prepareCommit alone: what is inserted before its checkpoint completes would be
    // inserted twice after a failure.
    this.isEndOfInput = isEndOfInput;
  }

  @Override
  public Collection<Block> prepareCommit() {
    Duration patience = isEndOfInput ? Duration.ZERO : limits.patience();
    openBlocks.values().stream().filter(block -> block.isDue(patience)).forEach(this::seal);
    List<Block> blocks = List.copyOf(sealedBlocks);
    sealedBlocks.clear();
    sealedBytes = 0;
    return blocks;
  }

  /** What this checkpoint does not commit. */
  @Override
  public List<Block> snapshotState(long checkpointId) {
    return openBlocks.values().stream()
        .filter(block -> block.rows() > 0)
        .map(BlockBuilder::copy)
        .toList();
  }

  @Override
  public void close() {
    // Rows that no checkpoint holds are read from Kafka again.
  }
}
