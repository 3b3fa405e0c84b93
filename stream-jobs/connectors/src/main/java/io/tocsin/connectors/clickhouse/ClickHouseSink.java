package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Stores elements as rows of ClickHouse tables, exactly once.
 *
 * <p><b>How.</b> The writer encodes rows into blocks. At a checkpoint each block gets a random
 * deduplication token and becomes part of the checkpoint. When the checkpoint is complete, the
 * committer inserts the block with its token. A failure before that leaves nothing in ClickHouse,
 * and the rows are read from Kafka again. A failure after it repeats the insert of the same block
 * with the same token, and the server, which remembers the tokens of the last 1,000 blocks of each
 * table (non_replicated_deduplication_window), stores nothing twice, in the materialized views
 * neither. README.md beside this class says what a table needs for that.
 *
 * <p><b>Where the promise ends.</b> It holds when the job is restored from its latest completed
 * checkpoint, which is what Flink does by itself. It does not hold
 *
 * <ul>
 *   <li>after a manual restore from an older savepoint: what was stored since is read again and
 *       gets new tokens;
 *   <li>after a start without state from Kafka offsets that were committed: Kafka may have them
 *       some seconds earlier or later than the last insert;
 *   <li>when one checkpoint carries more than 1,000 blocks of one table. No later checkpoint
 *       completes while a block of this one is not inserted, so only blocks of the same checkpoint
 *       can come between an insert and its repetition. With the usual limits that is 60 GB of rows
 *       in one checkpoint: shorten the interval.
 * </ul>
 *
 * The event_id tells such duplicates.
 *
 * <p><b>Latency.</b> Rows that somebody waits for ({@link RowEncoder#isAwaited}) are visible after
 * the next checkpoint: with an interval of 2 s, within about that. Others stay with the writer, and
 * in its checkpoints, for {@link BlockLimits#patience} more.
 *
 * <p><b>Memory.</b> Between checkpoints a writer holds at most one open block a table ({@link
 * BlockLimits#maxBytes}) and the sealed ones, all compressed. Nothing may leave before the
 * checkpoint, so what bounds the sealed ones is the brake: above {@link
 * BlockLimits#brakeAboveSealedBytes} each element costs a pause, which Kafka's source feels as
 * back-pressure. While ClickHouse is away checkpoints expire and none completes; what the writer
 * hands over at each fills the channel to the committer, and then the writer stops with it. The job
 * must tolerate checkpoints that expire: execution.checkpointing.tolerable-failed-checkpoints.
 *
 * <p><b>Threads.</b> The committer is a task of its own: while it inserts, the writer goes on to
 * read and encode, and blocks become larger the longer an insert takes.
 *
 * <p><b>Poison.</b> An element that does not fit its table becomes a row of {@code rejects} with
 * the reason; its neighbours are stored as if it had not been there. A block that the server
 * refuses, and will refuse again, goes into the quarantine under its token, and all others go on.
 *
 * @param <T> element
 */
public final class ClickHouseSink<T>
    implements Sink<T>,
        SupportsWriterState<T, Block>,
        SupportsCommitter<Block>,
        SupportsPreCommitTopology<Block, Block> {
  /** Counter: rows encoded, rejects included. */
  public static final String ENCODED_ROWS_TOTAL = "clickhouse_encoded_rows_total";

  /** Counter: elements that did not fit their table and became rows of rejects. */
  public static final String REJECTED_ROWS_TOTAL = "clickhouse_rejected_rows_total";

  /**
   * Counter: milliseconds by which the writer was slowed down because too much waited for a
   * checkpoint.
   */
  public static final String BRAKE_MILLIS_TOTAL = "clickhouse_brake_milliseconds_total";

  /** Gauge: compressed bytes that wait for the next checkpoint. */
  public static final String SEALED_BYTES = "clickhouse_sealed_bytes";

  /** Counter: blocks that the server acknowledged. */
  public static final String INSERTED_BLOCKS_TOTAL = "clickhouse_inserted_blocks_total";

  /** Counter: rows of these blocks. */
  public static final String INSERTED_ROWS_TOTAL = "clickhouse_inserted_rows_total";

  /** Counter: compressed bytes of these blocks. */
  public static final String INSERTED_BYTES_TOTAL = "clickhouse_inserted_bytes_total";

  /**
   * Histogram of the newest 1,000: milliseconds from sending a block to the server's
   * acknowledgement; attempts that failed are not in it.
   */
  public static final String INSERT_MILLIS = "clickhouse_insert_milliseconds";

  /** Counter: inserts that failed and were, or will be, repeated. */
  public static final String INSERT_RETRIES_TOTAL = "clickhouse_insert_retries_total";

  /** Counter: milliseconds of the pauses between them. */
  public static final String INSERT_WAIT_MILLIS_TOTAL = "clickhouse_insert_wait_milliseconds_total";

  /** Gauge: blocks of the checkpoint that is being inserted that are not inserted yet. */
  public static final String WAITING_BLOCKS = "clickhouse_waiting_blocks";

  /** Gauge: milliseconds since the insert of that checkpoint began; 0 where no block waits. */
  public static final String WAITING_MILLIS = "clickhouse_waiting_milliseconds";

  /** Counter: blocks that the server refused and the quarantine took. */
  public static final String QUARANTINED_BLOCKS_TOTAL = "clickhouse_quarantined_blocks_total";

  /** Counter: rows of these blocks. */
  public static final String QUARANTINED_ROWS_TOTAL = "clickhouse_quarantined_rows_total";

  /** Counter: blocks that the quarantine refused too, each of which failed the job. */
  public static final String REFUSED_BLOCKS_TOTAL = "clickhouse_refused_blocks_total";

  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final ClickHouseConnection connection;
  private final TableRouter<T> router;
  private final BlockLimits limits;

  /** A sink with the usual limits. */
  public ClickHouseSink(ClickHouseConnection connection, TableRouter<T> router) {
    this(connection, router, BlockLimits.DEFAULT);
  }

  /** A sink with limits of its own. */
  public ClickHouseSink(
      ClickHouseConnection connection, TableRouter<T> router, BlockLimits limits) {
    this.connection = connection;
    this.router = router;
    this.limits = limits;
  }

  @Override
  public SinkWriter<T> createWriter(WriterInitContext context) {
    return restoreWriter(context, List.of());
  }

  @Override
  public StatefulSinkWriter<T, Block> restoreWriter(
      WriterInitContext context, Collection<Block> kept) {
    return new ClickHouseWriter<>(router, limits, kept, System::nanoTime, context.metricGroup());
  }

  @Override
  public SimpleVersionedSerializer<Block> getWriterStateSerializer() {
    return getCommittableSerializer();
  }

  /** Keeps the committer out of the writer's task; both have the same parallelism. */
  @Override
  public DataStream<CommittableMessage<Block>> addPreCommitTopology(
      DataStream<CommittableMessage<Block>> blocks) {
    return blocks.rescale();
  }

  @Override
  public SimpleVersionedSerializer<Block> getWriteResultSerializer() {
    return getCommittableSerializer();
  }

  @Override
  public Committer<Block> createCommitter(CommitterInitContext context) throws IOException {
    return new ClickHouseCommitter(
        new ClientInserter(connection),
        new Backoff(FIRST_PAUSE, LONGEST_PAUSE, new Random()),
        System::nanoTime,
        context.metricGroup());
  }

  @Override
  public SimpleVersionedSerializer<Block> getCommittableSerializer() {
    return new BlockSerializer();
  }
}
