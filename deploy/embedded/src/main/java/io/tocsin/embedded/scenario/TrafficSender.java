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
 * Sends a scenario's traffic with {@code tocsin send}.
 *
 * @param tocsin the binary
 * @param address arguments that say where the listeners are, for example {@code --port-offset 1000}
 * @param progress takes what the command prints, one line at a time
 */
public record TrafficSender(Path tocsin, List<String> address, Consumer<String> progress) {

  /** To the listeners of a stack on this machine. */
  public static TrafficSender local(
      Path tocsin, Ports ports, StateFolder state, Consumer<String> progress) {
    List<String> address =
        new ArrayList<>(List.of("--port-offset", Integer.toString(ports.offset())));
    Secrets.of(state)
        .map(secrets -> secrets.clientFile(KafkaUser.AGENT).toString())
        .ifPresent(file -> address.addAll(List.of("--kafka-config", file)));
    return new TrafficSender(tocsin, address, progress);
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
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (var output = process.inputReader(StandardCharsets.UTF_8)) {
        output.lines().forEach(progress);
      }
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        throw new ScenarioException(
            "sending failed with exit code " + exitCode + ": " + String.join(" ", command));
      }
    } catch (IOException e) {
      throw new ScenarioException(tocsin + " cannot be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted while sending");
    }
  }
}
