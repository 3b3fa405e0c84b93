package io.tocsin.jobs.recovery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.awaitility.Awaitility;

/**
 * A job of the mini cluster that dies without a last checkpoint, and goes on from one of those that
 * are kept, with another number of instances.
 */
final class CrashingJob {
  private static final Duration DEADLINE = Duration.ofMinutes(2);
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(1);
  private static final int KEPT_CHECKPOINTS = 3;
  private static final int[] PARALLELISMS = {1, 2, 4};

  private final String name;
  private final Path folder;
  private final Random random;
  private final Consumer<StreamExecutionEnvironment> definition;
  private JobClient client;
  private Path startedFrom;
  private boolean isDead;

  /**
   * Starts it without state.
   *
   * @param folder of its checkpoints
   * @param random how many instances, and which checkpoint
   * @param definition adds its operators
   */
  CrashingJob(
      String name, Path folder, Random random, Consumer<StreamExecutionEnvironment> definition)
      throws Exception {
    this.name = name;
    this.folder = folder;
    this.random = random;
    this.definition = definition;
    start();
  }

  private void start() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.toUri().toString());
    configuration.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, KEPT_CHECKPOINTS);
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
    if (startedFrom != null) {
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, startedFrom.toUri().toString());
    }
    int parallelism = PARALLELISMS[random.nextInt(PARALLELISMS.length)];
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration)
            .setParallelism(parallelism);
    definition.accept(env);
    client = env.executeAsync(name);
  }

  /** Dies without a last checkpoint. */
  void die() throws Exception {
    client.cancel().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    Awaitility.await(name + " has ended")
        .atMost(DEADLINE)
        .until(() -> client.getJobStatus().get().isGloballyTerminalState());
    isDead = true;
  }

  boolean isDead() {
    return isDead;
  }

  /** Goes on from one of the checkpoints that it kept. */
  void goOn() throws Exception {
    List<Path> kept = checkpoints();
    startedFrom = kept.get(Math.max(0, kept.size() - 1 - random.nextInt(KEPT_CHECKPOINTS)));
    start();
    isDead = false;
  }

  void awaitCheckpoint() {
    Awaitility.await(name + " has kept a checkpoint")
        .atMost(DEADLINE)
        .until(() -> isRunning() && !checkpoints().isEmpty());
  }

  private boolean isRunning() throws Exception {
    if (client.getJobStatus().get().isGloballyTerminalState()) {
      client.getJobExecutionResult().get();
      throw new IllegalStateException(name + " has ended by itself");
    }
    return true;
  }

  /** Whole ones of the present run, in order. */
  private List<Path> checkpoints() throws IOException {
    Path ofRun = folder.resolve(client.getJobID().toString());
    if (!Files.exists(ofRun)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(ofRun)) {
      List<Path> whole = new ArrayList<>(all.filter(CrashingJob::isWhole).toList());
      whole.sort(Comparator.comparingInt(CrashingJob::numberOf));
      return whole;
    }
  }

  private static boolean isWhole(Path checkpoint) {
    return checkpoint.getFileName().toString().startsWith("chk-")
        && Files.exists(checkpoint.resolve("_metadata"));
  }

  private static int numberOf(Path checkpoint) {
    return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
  }

  /** Its slots are free when this ends. */
  void stop() throws Exception {
    if (!isDead && !client.getJobStatus().get().isGloballyTerminalState()) {
      die();
    }
  }
}
