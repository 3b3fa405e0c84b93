package io.tocsin.embedded.scenario;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.security.KafkaUser;
import io.tocsin.embedded.security.Secrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Sends a scenario's traffic with {@code tocsin send}, and says of alerts what people say.
 *
 * @param tocsin the binary
 * @param address arguments that say where the listeners are, for example {@code --port-offset 1000}
 * @param desk arguments that say where Kafka and ClickHouse are, for what people say
 * @param progress takes what the command prints, one line at a time
 */
public record TrafficSender(
    Path tocsin, List<String> address, List<String> desk, Consumer<String> progress) {

  /** To the listeners of a stack on this machine. */
  public static TrafficSender local(
      Path tocsin, Ports ports, StateFolder state, Consumer<String> progress) {
    List<String> address =
        new ArrayList<>(List.of("--port-offset", Integer.toString(ports.offset())));
    List<String> desk =
        new ArrayList<>(
            List.of(
                "--kafka",
                "127.0.0.1:" + ports.kafka(),
                "--clickhouse",
                "http://127.0.0.1:" + ports.clickHouseHttp()));
    Secrets.of(state)
        .ifPresent(
            secrets -> {
              address.addAll(kafkaConfig(secrets, KafkaUser.AGENT));
              desk.addAll(kafkaConfig(secrets, KafkaUser.OPERATOR));
            });
    return new TrafficSender(tocsin, address, desk, progress);
  }

  private static List<String> kafkaConfig(Secrets secrets, KafkaUser user) {
    return List.of("--kafka-config", secrets.clientFile(user).toString());
  }

  /**
   * Sends, and returns when everything is sent.
   *
   * @throws ScenarioException where the command fails
   */
  public void send(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(tocsin.toString(), "send"));
    command.addAll(arguments);
    command.addAll(address);
    run(command);
  }

  /**
   * Says something of an alert, and returns when Kafka has it.
   *
   * @param arguments of {@code tocsin}, but for where the servers are
   * @throws ScenarioException where the command fails
   */
  public void say(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(tocsin.toString()));
    command.addAll(arguments);
    command.addAll(desk);
    run(command);
  }

  private void run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (var output = process.inputReader(StandardCharsets.UTF_8)) {
        output.lines().forEach(progress);
      }
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        throw new ScenarioException("exit code " + exitCode + " of " + String.join(" ", command));
      }
    } catch (IOException e) {
      throw new ScenarioException(tocsin + " cannot be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted while waiting for " + String.join(" ", command));
    }
  }
}
