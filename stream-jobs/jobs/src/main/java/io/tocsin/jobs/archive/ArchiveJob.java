package io.tocsin.jobs.archive;

import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.tables.ArchiveTables;
import io.tocsin.connectors.tables.CopiesTables;
import io.tocsin.connectors.tables.Judged;
import io.tocsin.correlation.copies.Copies;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.Restart;
import io.tocsin.jobs.copies.CopiesFunction;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Keeps everything, and alone writes to ClickHouse: every event, and everything that the
 * correlation jobs tell, from their topics to the tables, exactly once. No state but offsets and
 * blocks under way, no time, no order: what was told last of an alert stands by the time that the
 * broker gave it. Only what agents of a group received is compared with what was heard before.
 */
public final class ArchiveJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-archive";

  /**
   * Instances that the archive can have at most, and key groups of its only keyed operator, which
   * is idle where no listener has {@code copies}. A checkpoint writes a number for each of them,
   * and here there is one a second.
   */
  private static final int MAX_INSTANCES = 120;

  /** Ends the wait for copies, and nothing else. */
  private static final WatermarkStrategy<TopicRecord> BROKERS_CLOCK =
      WatermarkStrategy.<TopicRecord>forMonotonousTimestamps()
          .withTimestampAssigner((record, unused) -> record.timestampMillis())
          .withIdleness(Duration.ofSeconds(5));

  private ArchiveJob() {}

  /** Runs the job with the options of {@link ArchiveOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new ArchiveOptions(), ArchiveJob::configure, args);
  }

  /** Builds the job's graph against the Kafka and ClickHouse of the options. */
  public static void configure(StreamExecutionEnvironment env, ArchiveOptions options) {
    KafkaEndpoints kafka =
        JobRunner.prepare(env, options, Buffering.COMMITTED, Restart.AFTER_PAGES);
    define(
        env,
        kafka.archived(NAME),
        new ClickHouseSink<>(options.clickHouse(), new ArchiveTables()),
        new ClickHouseSink<>(options.clickHouse(), new CopiesTables()));
  }

  /**
   * Builds the job's graph.
   *
   * @param records of every topic that is archived
   * @param tables takes each to its table
   * @param copies takes the events of groups of agents, and what is a copy, to theirs: a sink of
   *     its own, so that all others go from the source to theirs within one task
   */
  public static void define(
      StreamExecutionEnvironment env,
      Source<TopicRecord, ?, ?> records,
      Sink<TopicRecord> tables,
      Sink<Judged> copies) {
    SingleOutputStreamOperator<TopicRecord> ofOneAgent =
        env.fromSource(records, BROKERS_CLOCK, "records")
            .uid("archive-records-source")
            .process(new GroupsFunction())
            .returns(TypeInformation.of(TopicRecord.class))
            .name("groups of agents")
            .uid("archive-groups");
    ofOneAgent.sinkTo(tables).name("clickhouse").uid("archive-clickhouse-sink");
    ofOneAgent
        .getSideOutput(GroupsFunction.OF_GROUPS)
        .keyBy(record -> Copies.keyOf(CopiesTables.eventOf(record)), Types.STRING)
        .process(
            new CopiesFunction<TopicRecord, Judged>(
                CopiesTables::eventOf,
                (record, verdict) -> new Judged(record, verdict.keptEventId())))
        .returns(TypeInformation.of(Judged.class))
        .setMaxParallelism(MAX_INSTANCES)
        .name("copies of other agents")
        .uid("archive-copies")
        .sinkTo(copies)
        .name("clickhouse, of groups")
        .uid("archive-copies-sink");
  }

  /** Takes the events of groups out of the way of all others. */
  private static final class GroupsFunction extends ProcessFunction<TopicRecord, TopicRecord> {
    static final OutputTag<TopicRecord> OF_GROUPS =
        new OutputTag<>("of-groups", TypeInformation.of(TopicRecord.class));

    @Override
    public void processElement(TopicRecord record, Context context, Collector<TopicRecord> out) {
      if (CopiesTables.concern(record)) {
        context.output(OF_GROUPS, record);
      } else {
        out.collect(record);
      }
    }
  }
}
