package io.tocsin.jobs.archive;

import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.tables.ArchiveTables;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Keeps everything, and alone writes to ClickHouse: every event, and everything that the
 * correlation jobs tell, from their topics to the tables, exactly once. No state but offsets and
 * blocks under way, no time, no order: what was told last of an alert stands by the time that the
 * broker gave it.
 */
public final class ArchiveJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-archive";

  private ArchiveJob() {}

  /** Runs the job with the options of {@link ArchiveOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new ArchiveOptions(), ArchiveJob::configure, args);
  }

  /** Builds the job's graph against the Kafka and ClickHouse of the options. */
  public static void configure(StreamExecutionEnvironment env, ArchiveOptions options) {
    JobRunner.prepare(env, options, Buffering.BATCHED);
    // The source and the writer are one task, and neither changes what it passes on or keeps it.
    env.getConfig().enableObjectReuse();
    KafkaEndpoints kafka = new KafkaEndpoints(options.kafka(), Buffering.BATCHED.fetchWait());
    define(
        env, kafka.archived(NAME), new ClickHouseSink<>(options.clickHouse(), new ArchiveTables()));
  }

  /**
   * Builds the job's graph.
   *
   * @param records of every topic that is archived
   * @param tables takes each to its table
   */
  public static <T> void define(
      StreamExecutionEnvironment env, Source<T, ?, ?> records, Sink<T> tables) {
    env.fromSource(records, WatermarkStrategy.noWatermarks(), "records")
        .uid("archive-records-source")
        .sinkTo(tables)
        .name("clickhouse")
        .uid("archive-clickhouse-sink");
  }
}
