package io.tocsin.rules.command;

import io.tocsin.kafka.ConnectionTrouble;
import io.tocsin.kafka.KafkaConnection;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where Kafka is and who asks. */
final class KafkaOption {
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

  KafkaConnection connection() {
    try {
      return KafkaConnection.of(bootstrapServers, configFile, DEFAULT);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          e.getMessage(), "deploy/config/kafka.example.properties shows what may stand there");
    }
  }

  CommandException failure(RuntimeException e) {
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
