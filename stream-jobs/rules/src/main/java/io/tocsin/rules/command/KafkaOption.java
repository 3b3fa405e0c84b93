package io.tocsin.rules.command;

import io.tocsin.kafka.ConnectionTrouble;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.rules.history.History;
import io.tocsin.rules.history.KafkaHistory;
import io.tocsin.rules.topic.AlertsTopic;
import io.tocsin.rules.topic.RulesTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Option;

/** Where Kafka is and who asks, and the topics there. */
final class KafkaOption {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String DEFAULT = "127.0.0.1:9092";

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,..",
      defaultValue = "${env:TOCSIN_KAFKA}",
      description = {
        "Kafka brokers (default: TOCSIN_KAFKA, else those of --kafka-config, else",
        DEFAULT + ")"
      })
  private String bootstrapServers;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_KAFKA_CONFIG}",
      description = {
        "file that says how they are reached: encryption, login; like",
        "deploy/config/kafka.example.properties (default: TOCSIN_KAFKA_CONFIG)"
      })
  private Path configFile;

  /**
   * What a command makes of the topic of rules.
   *
   * @throws CommandException where Kafka fails, with a remedy
   */
  <T> T onTopic(Function<RulesTopic, T> work) {
    return asked(() -> work.apply(new RulesTopic(connection(), DEADLINE)));
  }

  /**
   * What a command makes of the topic of alerts.
   *
   * @throws CommandException where Kafka fails, with a remedy
   */
  <T> T onAlerts(Function<AlertsTopic, T> work) {
    return asked(() -> work.apply(new AlertsTopic(connection(), DEADLINE)));
  }

  /** The events of the topics. */
  History history() {
    KafkaHistory history = new KafkaHistory(connection(), DEADLINE);
    return new History() {
      @Override
      public void play(long fromUnixNanos, long toUnixNanos, Taker taker) {
        asked(
            () -> {
              history.play(fromUnixNanos, toUnixNanos, taker);
              return null;
            });
      }

      @Override
      public List<String> unknowns() {
        return history.unknowns();
      }
    };
  }

  private <T> T asked(Supplier<T> work) {
    try {
      return work.get();
    } catch (KafkaException e) {
      throw failure(e);
    }
  }

  private KafkaConnection connection() {
    try {
      return KafkaConnection.of(bootstrapServers, configFile, DEFAULT);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          e.getMessage(), "deploy/config/kafka.example.properties shows what may stand there");
    }
  }

  private CommandException failure(RuntimeException e) {
    String servers = connection().bootstrapServers();
    return ConnectionTrouble.of(e)
        .map(
            trouble ->
                new CommandException(
                    "Kafka at " + servers + ": " + trouble.reason(), trouble.remedy()))
        .orElseGet(
            () ->
                new CommandException(
                    "Kafka at " + servers + ": " + e.getMessage(),
                    "check --kafka and that the brokers answer; one that wants TLS or a login hangs up"
                        + " without --kafka-config; `tocsin schema apply` makes the topic"));
  }
}
