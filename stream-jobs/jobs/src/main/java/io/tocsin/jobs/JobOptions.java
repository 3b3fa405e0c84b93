package io.tocsin.jobs;

import io.tocsin.kafka.KafkaConnection;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * What every job can be told on the command line; what one job alone can be told stands beside that
 * job. A job takes its own options only: one that is unknown to it refuses to start.
 *
 * <p>What belongs to Flink (parallelism, state backend, restart strategy, where checkpoints are
 * kept) is Flink's configuration and deliberately no option here.
 */
@Command(
    sortOptions = false,
    usageHelpAutoWidth = true,
    description = {
      "One of Tocsin's stream jobs, with all options that it takes; an unknown one refuses to start.",
      "Flink's own settings come from Flink's configuration."
    })
public abstract class JobOptions {
  /**
   * Between checkpoints of a job that pages nobody by itself, or whose state is large: each writes
   * all that lies on the heap.
   */
  protected static final long RARE_CHECKPOINTS_SECONDS = 30;

  private static final String DEFAULT_KAFKA = "127.0.0.1:9092";

  @Option(
      names = "--kafka-bootstrap-servers",
      paramLabel = "HOST:PORT,..",
      description =
          "Kafka brokers to ask first (default: those of --kafka-config, else "
              + DEFAULT_KAFKA
              + ")")
  private String kafkaBootstrapServers;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = {
        "file that says how they are reached: encryption, login; like deploy/config/kafka.example.properties. It names",
        "files of secrets, which must be at the same place wherever the job runs"
      })
  private Path kafkaConfigFile;

  @Option(
      names = "--kafka-generation",
      paramLabel = "N",
      description = {
        "how often Kafka's topics were lost and restored (default: ${DEFAULT-VALUE}). State that was kept with another",
        "number is used, but for how far topics were read: they are read from their beginning. Start once with",
        "flink run --allowNonRestoredState, and leave the number as it is from then on"
      })
  private int kafkaGeneration;

  @Option(
      names = "--checkpoint-interval-seconds",
      paramLabel = "N",
      description = {
        "how often the job keeps its state, where Flink's configuration sets no",
        "execution.checkpointing.interval; rows are seen at the archive's checkpoints, nothing else",
        "waits for one (default: ${DEFAULT-VALUE})"
      })
  private long checkpointIntervalSeconds;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "print this and exit")
  private boolean isHelpRequested;

  /**
   * With the defaults of the command line, once one has been read.
   *
   * <p>What a job tells does not wait for its checkpoint, which only bounds what is told again
   * after a failure.
   */
  protected JobOptions() {
    this(10);
  }

  /** With another interval between checkpoints. */
  protected JobOptions(long checkpointIntervalSeconds) {
    this.checkpointIntervalSeconds = checkpointIntervalSeconds;
  }

  /**
   * Reads a command line.
   *
   * @param program name for the usage text
   * @param options to fill
   * @return the options, or nothing where help was asked for and has been printed
   * @throws IllegalArgumentException naming the option that is unknown or wrong, with the usage
   *     text
   */
  public static <O extends JobOptions> Optional<O> parse(
      String program, O options, String... args) {
    CommandLine commandLine = new CommandLine(options).setCommandName(program);
    JobOptions shared = options;
    try {
      commandLine.parseArgs(args);
      requireAtLeast("--checkpoint-interval-seconds", shared.checkpointIntervalSeconds, 1);
      requireAtLeast("--kafka-generation", shared.kafkaGeneration, 0);
      shared.kafka();
      options.check();
    } catch (ParameterException | IllegalArgumentException e) {
      StringWriter usage = new StringWriter();
      commandLine.usage(new PrintWriter(usage));
      throw new IllegalArgumentException(program + ": " + e.getMessage() + "\n" + usage, e);
    }
    if (shared.isHelpRequested) {
      commandLine.usage(System.out);
      return Optional.empty();
    }
    return Optional.of(options);
  }

  /**
   * Refuses what makes no sense.
   *
   * @throws IllegalArgumentException naming the option
   */
  protected abstract void check();

  /** Refuses a number below the least that makes sense. */
  protected static void requireAtLeast(String option, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(option + " is " + value + ": give at least " + least);
    }
  }

  /** Refuses what is no address of a web server. */
  protected static void requireHttpUrl(String option, String url) {
    if (!isHttpUrl(url)) {
      throw new IllegalArgumentException(
          option
              + " has '"
              + url
              + "': give http://HOST:PORT or https://HOST:PORT, without spaces");
    }
  }

  private static boolean isHttpUrl(String url) {
    try {
      URI uri = new URI(url);
      return uri.getHost() != null
          && ("http".equalsIgnoreCase(uri.getScheme())
              || "https".equalsIgnoreCase(uri.getScheme()));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /**
   * How Kafka is reached.
   *
   * @throws IllegalArgumentException where the file of {@code --kafka-config} cannot be used
   */
  public KafkaConnection kafka() {
    return KafkaConnection.of(kafkaBootstrapServers, kafkaConfigFile, DEFAULT_KAFKA);
  }

  /** How often Kafka was lost and restored: offsets of one generation mean nothing to another. */
  public int kafkaGeneration() {
    return kafkaGeneration;
  }

  /**
   * How many checkpoints may fail in a row, where Flink's configuration does not say. One that
   * fails costs nothing but a longer replay; a restart stops pages for seconds and replays at once.
   */
  public int tolerableFailedCheckpoints() {
    return 10;
  }

  /** Checkpoint interval for an environment that has none configured. */
  public Duration checkpointInterval() {
    return Duration.ofSeconds(checkpointIntervalSeconds);
  }
}
