package io.tocsin.connectors.clickhouse;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
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

  /** Rows are handed to the compressor when they are so many bytes. */
  private static final int STRETCH_BYTES = 1 << 16;

  /** Of one block; what comes from further ones is noted as of unknown origin. */
  private static final int MOST_ORIGINS = 10_000;

  private final String table;
  private final List<String> columns;
  private final boolean isAwaited;
  private final LongSupplier nanoClock;
  private final RowBinaryWriter stretch = new RowBinaryWriter(2 * STRETCH_BYTES);
  private final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
  private ZstdOutputStreamNoFinalizer compressor;
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
    int sizeBefore = stretch.size();
    try {
      encoder.encode(element, stretch);
      if (rows++ == 0) {
        firstRowNanos = nanoClock.getAsLong();
      }
    } catch (RuntimeException e) {
      stretch.truncate(sizeBefore);
      throw e;
    }
    if (stretch.size() >= STRETCH_BYTES) {
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
    return bytesBefore + stretch.size();
  }

  /**
   * The rows so far as a block with a token of its own; they stay. Rows that come later begin a
   * zstd frame of their own, and a block may have many.
   */
  Block copy() {
    compress();
    close();
    return new Block(
        table,
        columns,
        rows,
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

  private void compress() {
    try {
      if (compressor == null) {
        compressor = new ZstdOutputStreamNoFinalizer(compressed, ZSTD_LEVEL);
      }
      stretch.writeTo(compressor);
      bytesBefore += stretch.size();
      stretch.truncate(0);
    } catch (IOException e) {
      throw inMemory(e);
    }
  }

  /**
   * Frees the compressor's memory, which is not on the heap. Rows that were not sealed are lost.
   */
  void close() {
    if (compressor != null) {
      try {
        compressor.close();
      } catch (IOException e) {
        throw inMemory(e);
      }
      compressor = null;
    }
  }

  /** Writing to memory does not fail. */
  private static UncheckedIOException inMemory(IOException e) {
    return new UncheckedIOException("compressing rows", e);
  }
}
