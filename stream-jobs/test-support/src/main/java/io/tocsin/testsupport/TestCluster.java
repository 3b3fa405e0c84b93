package io.tocsin.testsupport;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;

/** A Flink cluster inside the test's JVM: one task manager, four slots. */
public final class TestCluster {
  private static final int SLOTS = 4;

  private TestCluster() {}

  /** For a static field with {@code @RegisterExtension}: one cluster a test class. */
  public static MiniClusterExtension extension() {
    return new MiniClusterExtension(
        new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(SLOTS)
            .build());
  }

  /**
   * An environment on the cluster of the extension: parallelism 1, so that the order of a list
   * stays; checkpoints; no Kryo; three restarts without a pause.
   */
  public static StreamExecutionEnvironment environment() {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
    return StreamExecutionEnvironment.getExecutionEnvironment(configuration).setParallelism(1);
  }
}
