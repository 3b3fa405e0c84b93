package io.tocsin.jobs.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tocsin.connectors.clickhouse.BlockLimits;
import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.tables.CopiesTables;
import io.tocsin.testsupport.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.checkpoint.CheckpointStatsCounts;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The whole job while ClickHouse is away for longer than many checkpoints may take. It has no
 * restart strategy: a failure would end it.
 */
class ArchiveOutageTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  private static final Duration DEADLINE = Duration.ofMinutes(3);
  private static final long NUMBERS = 4_000;
  private static final int EXPIRED_CHECKPOINTS = 5;

  @Test
  void jobWaitsWithoutFailingAndStoresEverythingOnce(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    try (StoppableClickHouse clickHouse = new StoppableClickHouse()) {
      var env = TestCluster.environment();
      Configuration noRestart = new Configuration();
      noRestart.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
      noRestart.set(
          CheckpointingOptions.TOLERABLE_FAILURE_NUMBER,
          new ArchiveOptions().tolerableFailedCheckpoints());
      env.configure(noRestart);
      env.enableCheckpointing(50);
      env.getCheckpointConfig().setCheckpointTimeout(300);
      ArchiveJob.define(
          env,
          new DataGeneratorSource<>(
              Records::number,
              NUMBERS,
              RateLimiterStrategy.perSecond(1_000),
              TypeInformation.of(TopicRecord.class)),
          new ClickHouseSink<>(
              ClickHouseConnection.open(clickHouse.url()),
              new Numbers(),
              new BlockLimits(100, 1 << 20, 1 << 20, 1, Duration.ZERO)),
          new ClickHouseSink<>(ClickHouseConnection.open(clickHouse.url()), new CopiesTables()));
      JobClient job = env.executeAsync();
      await("rows").atMost(DEADLINE).until(() -> clickHouse.stored().count() > 100);

      clickHouse.stop();
      await("checkpoints that expired")
          .atMost(DEADLINE)
          .until(() -> counts(cluster, job).getNumberOfFailedCheckpoints() >= EXPIRED_CHECKPOINTS);
      clickHouse.start();

      job.getJobExecutionResult().get();
      assertThat(clickHouse.stored().sorted()).containsExactlyElementsOf(allNumbers());
      assertThat(counts(cluster, job).getNumberOfRestoredCheckpoints()).isZero();
    }
  }

  private static CheckpointStatsCounts counts(MiniCluster cluster, JobClient job) throws Exception {
    return cluster.getExecutionGraph(job.getJobID()).get().getCheckpointStatsSnapshot().getCounts();
  }

  private static List<Long> allNumbers() {
    return LongStream.range(0, NUMBERS).boxed().toList();
  }

  /** Every number is a row of one table. */
  private static final class Numbers implements TableRouter<TopicRecord> {
    private final RowEncoder<Long> encoder = new NumberEncoder();

    @Override
    public Row<Long> rowOf(TopicRecord number) {
      return new Row<>(number.offset(), encoder);
    }

    @Override
    public Row<?> rejectOf(TopicRecord number, String detail) {
      throw new AssertionError(number + " does not fit: " + detail);
    }
  }

  private static final class NumberEncoder extends RowEncoder<Long> {
    NumberEncoder() {
      super("numbers", List.of("number"));
    }

    @Override
    public void encode(Long number, NativeWriter row) {
      row.uint64(number);
    }
  }
}
