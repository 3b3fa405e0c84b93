package io.tocsin.jobs.archive;

import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.kafka.EventDeserializer.Undecodable;
import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.connectors.tables.EventTables;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Keeps every event: all topics {@code events-*-v1}, {@code agent-stats-v1} and {@code rejects-v1}
 * to the tables of their bodies, exactly once. No state but offsets and blocks under way, no time,
 * no order.
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
    KafkaEndpoints kafka =
        new KafkaEndpoints(options.kafkaBootstrapServers(), Buffering.BATCHED.fetchWait());
    define(
        env,
        kafka.events(NAME, Topics.ALL_EVENTS, Undecodable.REJECT),
        new ClickHouseSink<>(options.clickHouse(), new EventTables()));
  }

  /**
   * Builds the job's graph.
   *
   * @param events of any kind
   * @param tables takes every event to its table
   */
  public static void define(
      StreamExecutionEnvironment env, Source<Event, ?, ?> events, Sink<Event> tables) {
    env.fromSource(events, WatermarkStrategy.noWatermarks(), "events")
        .uid("archive-events-source")
        .sinkTo(tables)
        .name("clickhouse")
        .uid("archive-clickhouse-sink");
  }
}
