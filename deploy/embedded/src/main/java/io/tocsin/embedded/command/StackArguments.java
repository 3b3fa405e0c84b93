package io.tocsin.embedded.command;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** What the commands that run a whole stack for people are told alike. */
final class StackArguments {

  @Option(
      names = "--port-offset",
      defaultValue = "0",
      description = "added to every port (default: ${DEFAULT-VALUE})")
  int portOffset;

  @Option(
      names = "--state",
      required = true,
      paramLabel = "DIR",
      description = "where everything is kept")
  Path state;

  @Option(
      names = "--parallelism",
      defaultValue = "1",
      description = "instances of each operator of the jobs (default: ${DEFAULT-VALUE})")
  private int parallelism;

  @Option(names = "--grafana", description = "with Grafana, where the machine has it")
  private boolean withGrafana;

  @Option(
      names = "--secured",
      description = "with TLS, logins and permissions at Kafka; a state folder made so stays so")
  private boolean isSecured;

  @Option(names = "--help", usageHelp = true, description = "print this and exit")
  boolean isHelpRequested;

  /** The stack that they ask for. */
  StackOptions options(String stateBackend) {
    return new StackOptions(
        new Ports(portOffset),
        new StateFolder(state),
        stateBackend,
        parallelism,
        withGrafana,
        isSecured,
        0,
        Map.of());
  }
}
