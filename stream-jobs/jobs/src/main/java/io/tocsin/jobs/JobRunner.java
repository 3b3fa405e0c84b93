package io.tocsin.jobs;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What the mains of all jobs have in common: read options, prepare the environment, submit. */
public final class JobRunner {
  private JobRunner() {}

  /** Builds a job's graph from options. */
  @FunctionalInterface
  public interface Definition {
    /** Adds the job's operators to an environment. */
    void configure(StreamExecutionEnvironment env, JobOptions options);
  }

  /** Runs a job until it ends; {@code --help} prints and returns. */
  public static void run(String jobName, Definition definition, String... args) throws Exception {
    var options = JobOptions.parse(jobName, args);
    if (options.isPresent()) {
      var env = StreamExecutionEnvironment.getExecutionEnvironment();
      definition.configure(env, options.get());
      env.execute(jobName);
    }
  }

  /**
   * Prepares an environment: exactly-once checkpoints, because rows reach ClickHouse at checkpoints
   * and never without them, and no Kryo, because its state cannot evolve. What Flink's
   * configuration says about checkpoints is left alone.
   */
  public static void prepare(StreamExecutionEnvironment env, JobOptions options) {
    if (!env.getCheckpointConfig().isCheckpointingEnabled()) {
      env.enableCheckpointing(
          options.checkpointInterval().toMillis(), CheckpointingMode.EXACTLY_ONCE);
    }
    Configuration noKryo = new Configuration();
    noKryo.set(PipelineOptions.GENERIC_TYPES, false);
    env.configure(noKryo);
  }
}
