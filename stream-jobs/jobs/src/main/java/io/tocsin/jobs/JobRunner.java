package io.tocsin.jobs;

import io.tocsin.connectors.kafka.KafkaEndpoints;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SourceTransformation;

/** What the mains of all jobs have in common: read options, prepare the environment, submit. */
public final class JobRunner {
  /** Of RocksDB, which is not on the class path where state lies on the heap. */
  private static final ConfigOption<Boolean> BLOOM_FILTERS =
      ConfigOptions.key("state.backend.rocksdb.use-bloom-filter").booleanType().noDefaultValue();

  /**
   * Key groups of every job: the most instances that a restored job can have. It is part of the
   * state and cannot be changed later, so it is set before anybody has state; with this many
   * divisors most numbers of instances get equal shares.
   */
  private static final int MAX_PARALLELISM = 720;

  private JobRunner() {}

  /**
   * Builds a job's graph from options.
   *
   * @param <O> the job's options
   */
  @FunctionalInterface
  public interface Definition<O extends JobOptions> {
    /** Adds the job's operators to an environment. */
    void configure(StreamExecutionEnvironment env, O options);
  }

  /** Runs a job until it ends; {@code --help} prints and returns. */
  public static <O extends JobOptions> void run(
      String jobName, O options, Definition<O> definition, String... args) throws Exception {
    if (JobOptions.parse(jobName, options, args).isPresent()) {
      var env = StreamExecutionEnvironment.getExecutionEnvironment();
      definition.configure(env, options);
      ofGeneration(env, options.kafkaGeneration());
      env.execute(jobName);
    }
  }

  /**
   * Gives the sources uids of a generation of Kafka, so that they find no offsets of another one in
   * a checkpoint. Topics that were restored begin anew, and an old offset may be one of theirs,
   * before which stands what nobody has read.
   *
   * @param generation zero for the first, whose sources have the uids that their jobs say
   */
  static void ofGeneration(StreamExecutionEnvironment env, int generation) {
    if (generation > 0) {
      env.getTransformations().stream()
          .flatMap(transformation -> transformation.getTransitivePredecessors().stream())
          .filter(SourceTransformation.class::isInstance)
          .distinct()
          .forEach(source -> source.setUid(source.getUid() + "-" + generation));
    }
  }

  /**
   * Prepares an environment: exactly-once checkpoints, because rows reach ClickHouse at checkpoints
   * and never without them; no Kryo, because its state cannot evolve; what one operator of a task
   * gives to the next is not copied, because all of it are messages of protobuf and records, which
   * nobody changes; buffers as the job says, time as {@link AgentsClock} does. Where state lies in
   * RocksDB, filters say which of its files cannot have a key: without them a read of one of a
   * million keys costs up to twice as much. After a failure those that page start first, and an
   * earlier one makes nobody wait longer ({@link Restart}). What Flink's configuration says about
   * checkpoints, parallelism, buffers, watermarks, filters and how long failures are remembered is
   * left alone.
   *
   * @return Kafka, whose events wait for company as the job says, too
   */
  public static KafkaEndpoints prepare(
      StreamExecutionEnvironment env, JobOptions options, Buffering buffering, Restart restart) {
    if (!env.getCheckpointConfig().isCheckpointingEnabled()) {
      env.enableCheckpointing(
          options.checkpointInterval().toMillis(), CheckpointingMode.EXACTLY_ONCE);
    }
    Configuration settings = new Configuration();
    settings.set(PipelineOptions.GENERIC_TYPES, false);
    settings.set(PipelineOptions.OBJECT_REUSE, true);
    setUnlessConfigured(env, settings, PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
    setUnlessConfigured(
        env,
        settings,
        CheckpointingOptions.TOLERABLE_FAILURE_NUMBER,
        options.tolerableFailedCheckpoints());
    setUnlessConfigured(env, settings, ExecutionOptions.BUFFER_TIMEOUT, buffering.bufferTimeout());
    setUnlessConfigured(
        env, settings, PipelineOptions.AUTO_WATERMARK_INTERVAL, AgentsClock.TOLD_EVERY);
    setUnlessConfigured(env, settings, BLOOM_FILTERS, true);
    setUnlessConfigured(
        env,
        settings,
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
        Restart.FORGOTTEN_AFTER);
    settings.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
        env.getConfiguration()
            .get(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF)
            .plus(restart.after()));
    env.configure(settings);
    return new KafkaEndpoints(options.kafka(), buffering.fetchWait());
  }

  private static <T> void setUnlessConfigured(
      StreamExecutionEnvironment env, Configuration settings, ConfigOption<T> option, T value) {
    if (env.getConfiguration().getOptional(option).isEmpty()) {
      settings.set(option, value);
    }
  }
}
