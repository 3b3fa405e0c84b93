package io.tocsin.connectors.kafka;

import java.util.concurrent.TimeUnit;

/**
 * A record as a topic keeps it, not decoded: what the archive reads.
 *
 * @param topic that it stands in
 * @param partition of the topic
 * @param offset in the partition
 * @param timestampMillis Unix milliseconds: of the broker's clock when it was appended, where the
 *     topic says so, else of the producer's
 * @param key empty without one
 * @param value empty without one
 */
public record TopicRecord(
    String topic, int partition, long offset, long timestampMillis, byte[] key, byte[] value) {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Where it stands: "topic-partition-offset". */
  public String place() {
    return topic + "-" + partition + "-" + offset;
  }

  /**
   * When it was told, Unix nanoseconds: the millisecond of its append, and in place of the
   * nanoseconds the end of its offset. It grows along a partition, so of two records with one key
   * the greater one was told last.
   */
  public long toldAtUnixNanos() {
    return TimeUnit.MILLISECONDS.toNanos(timestampMillis) + offset % NANOS_PER_MILLI;
  }
}
