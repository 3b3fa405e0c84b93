package io.tocsin.connectors.clickhouse;

import com.clickhouse.data.ClickHouseFormat;
import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Collects the rows of one table until they are sealed into a {@link Block}. Rows are compressed on
 * the way, so that a large block takes no more memory than its compressed bytes.
 */
final class BlockBuilder {
  /**
   * Fastest level that still shrinks syslog to about a fifth; ClickHouse compresses for itself
   * later.
   */
  private static final int ZSTD_LEVEL = 1;

  /**
   * Rows are handed to the compressor when they are so many bytes: a thousand of syslog, so that
   * what a column says stands beside what it said before.
   */
  private static final int STRETCH_BYTES = 1 << 18;

  /** Of one block; what comes from further ones is noted as of unknown origin. */
  private static final int MOST_ORIGINS = 10_000;

  private final String table;
  private final List<String> columns;
  private final boolean isAwaited;
  private final LongSupplier nanoClock;
  private final NativeWriter stretch = new NativeWriter();
  private final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
  private final Map<Origin, Origin.Stretch> origins = new LinkedHashMap<>();
  private int rows;
  private int bytesBefore;
  private long firstRowNanos;

  /** A builder without rows. */
  BlockBuilder(RowEncoder<?> encoder) {
    this(encoder, System::nanoTime);
  }

  /**
   * A builder without rows.
   *
   * @param nanoClock a clock for durations, as {@link System#nanoTime}
   */
  BlockBuilder(RowEncoder<?> encoder, LongSupplier nanoClock) {
    this.table = encoder.table();
    this.columns = encoder.columns();
    this.isAwaited = encoder.isAwaited();
    this.nanoClock = nanoClock;
  }

  /** Adds a row, or throws what the encoder throws and holds the same rows as before. */
  <T> void add(T element, RowEncoder<T> encoder) {
    try {
      encoder.encode(element, stretch);
    } catch (RuntimeException e) {
      stretch.reset();
      throw e;
    }
    stretch.endRow();
    if (rows++ == 0) {
      firstRowNanos = nanoClock.getAsLong();
    }
    if (stretch.bytes() >= STRETCH_BYTES) {
      compress();
    }
  }

  /** Notes where the row that was added last comes from. */
  void note(Origin origin, long offset) {
    boolean isOneTooMany = origins.size() >= MOST_ORIGINS && !origins.containsKey(origin);
    Origin noted = isOneTooMany ? Origin.UNKNOWN : origin;
    origins.merge(noted, new Origin.Stretch(noted, offset, offset, 1), Origin.Stretch::and);
  }

  int rows() {
    return rows;
  }

  /** Whether a checkpoint is to take the rows: somebody waits for them, or they are old enough. */
  boolean isDue(Duration patience) {
    return rows > 0 && (isAwaited || nanoClock.getAsLong() - firstRowNanos >= patience.toNanos());
  }

  /** Bytes before compression. */
  int bytes() {
    return bytesBefore + stretch.bytes();
  }

  /** The rows so far as a block with a token of its own; they stay. */
  Block copy() {
    compress();
    return new Block(
        table,
        columns,
        rows,
        ClickHouseFormat.Native,
        compressed.toByteArray(),
        UUID.randomUUID().toString(),
        List.copyOf(origins.values()));
  }

  /** Takes the rows out as a block with a token of its own. */
  Block seal() {
    Block block = copy();
    compressed.reset();
    origins.clear();
    rows = 0;
    bytesBefore = 0;
    return block;
  }

  /** Makes a zstd frame of the rows that wait; a block may have many. */
  private void compress() {
    if (stretch.rows() > 0) {
      bytesBefore += stretch.bytes();
      compressed.writeBytes(Zstd.compress(stretch.toByteArray(columns), ZSTD_LEVEL));
      stretch.clear();
    }
  }
}
