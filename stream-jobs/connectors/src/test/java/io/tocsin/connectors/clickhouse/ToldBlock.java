package io.tocsin.connectors.clickhouse;

import com.google.protobuf.Message;
import io.tocsin.connectors.clickhouse.TableRouter.Row;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.tables.ArchiveTables;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Blocks of what a job told, as the archive makes them of records. */
final class ToldBlock {
  private static final ArchiveTables TABLES = new ArchiveTables();

  /** Of one partition that all tests share. */
  private static final AtomicLong OFFSET = new AtomicLong();

  private ToldBlock() {}

  /** A block of messages that stand in a topic in this order, behind those of earlier blocks. */
  static Block of(String topic, Message... messages) {
    BlockBuilder block = null;
    for (Message message : messages) {
      Row<?> row =
          TABLES.rowOf(
              new TopicRecord(
                  topic,
                  0,
                  OFFSET.getAndIncrement(),
                  Instant.now().toEpochMilli(),
                  new byte[0],
                  message.toByteArray()));
      if (block == null) {
        block = new BlockBuilder(row.encoder());
      }
      add(block, row);
    }
    return block.seal();
  }

  private static <T> void add(BlockBuilder block, Row<T> row) {
    block.add(row.element(), row.encoder());
  }
}
