package io.tocsin.rules.command;

import picocli.CommandLine.Option;

/** Where Kafka is. */
final class KafkaOption {
  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,..",
      defaultValue = "${env:TOCSIN_KAFKA:-127.0.0.1:9092}",
      description = "Kafka brokers (default: TOCSIN_KAFKA, else 127.0.0.1:9092)")
  private String bootstrapServers;

  String bootstrapServers() {
    return bootstrapServers;
  }

  CommandException failure(RuntimeException e) {
    return new CommandException(
        "Kafka at " + bootstrapServers + ": " + e.getMessage(),
        "check --kafka and that the brokers answer; `tocsin schema apply` makes the topic");
  }
}
