package io.tocsin.embedded.flink;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.metrics.prometheus.PrometheusReporterFactory;
import org.apache.flink.state.rocksdb.RocksDBOptions;

/** Flink's settings for one machine. */
final class FlinkConfiguration {

  /** Checkpoints kept of each job, so that an unreadable one is not the end. */
  static final int RETAINED_CHECKPOINTS = 3;

  private FlinkConfiguration() {}

  /** Of the cluster; Prometheus finds its metrics on a port of their own, on every address. */
  static Configuration cluster(
      String restAddress,
      int restPort,
      int metricsPort,
      int parallelism,
      Path temporary,
      Optional<Path> log) {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.ADDRESS, restAddress);
    configuration.set(RestOptions.BIND_ADDRESS, restAddress);
    configuration.set(RestOptions.PORT, restPort);
    configuration.set(RestOptions.BIND_PORT, Integer.toString(restPort));
    configuration.set(JobManagerOptions.ADDRESS, "127.0.0.1");
    Configuration reporter = MetricOptions.forReporter(configuration, "prometheus");
    reporter.set(MetricOptions.REPORTER_FACTORY_CLASS, PrometheusReporterFactory.class.getName());
    reporter.setString("port", Integer.toString(metricsPort));
    configuration.set(CoreOptions.TMP_DIRS, temporary.toString());
    configuration.set(WebOptions.TMP_DIR, temporary.toString());
    configuration.set(WebOptions.UPLOAD_DIR, temporary.toString());
    log.ifPresent(file -> configuration.set(WebOptions.LOG_PATH, file.toString()));
    // Read by the job manager alone: in a job's own configuration it would have no effect.
    configuration.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, RETAINED_CHECKPOINTS);
    // The page shows; it neither submits nor cancels.
    configuration.set(WebOptions.SUBMIT_ENABLE, false);
    configuration.set(WebOptions.CANCEL_ENABLE, false);
    configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(96));
    MemorySize network = FlinkService.networkMemory(parallelism);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network);
    configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    return configuration;
  }

  /**
   * Of one job: checkpoints as often as its options say, kept when the process ends, and restored
   * from {@code restored}.
   *
   * <p>The job's id is fixed, so that the starts of this process find few folders, and the run that
   * restores a checkpoint owns it.
   */
  static Configuration job(
      Configuration cluster,
      JobID id,
      String stateBackend,
      URI checkpoints,
      Optional<Path> restored) {
    Configuration configuration = new Configuration(cluster);
    configuration.set(DeploymentOptions.TARGET, "remote");
    configuration.set(DeploymentOptions.ATTACHED, false);
    configuration.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, id.toHexString());
    configuration.set(StateBackendOptions.STATE_BACKEND, stateBackend);
    // The managed memory of a slot would be 8 MB, with which RocksDB writes a file for every few
    // keys.
    configuration.set(RocksDBOptions.FIX_PER_SLOT_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toString());
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    // A cluster says for itself how long it takes to notice that a task manager is dead.
    if (!configuration.contains(RestartStrategyOptions.RESTART_STRATEGY)) {
      configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
      configuration.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
          Duration.ofMillis(500));
      configuration.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
          Duration.ofSeconds(10));
    }
    restored.ifPresent(
        path -> {
          configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path.toUri().toString());
          configuration.set(StateRecoveryOptions.RESTORE_MODE, RecoveryClaimMode.CLAIM);
        });
    return configuration;
  }
}
