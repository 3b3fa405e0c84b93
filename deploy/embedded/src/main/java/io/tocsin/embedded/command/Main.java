package io.tocsin.embedded.command;

import io.tocsin.embedded.scenario.ScenarioException;
import io.tocsin.embedded.supervise.StartFailure;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The embedded stack's commands. People use them through {@code make}, see {@code make help}. */
@Command(
    name = "stack",
    sortOptions = false,
    usageHelpAutoWidth = true,
    description =
        "Tocsin's embedded stack: Kafka, ClickHouse, Flink, Alertmanager and the agent on this machine.",
    subcommands = {
      RunCommand.class,
      DemoCommand.class,
      PlayCommand.class,
      RestartCommand.class,
      RunWithCommand.class
    })
public final class Main implements Runnable {

  @Option(names = "--help", usageHelp = true, description = "print this and exit")
  private boolean isHelpRequested;

  private Main() {}

  /** Runs a command; its exit code is 1 where the stack or a scenario failed. */
  public static void main(String[] args) {
    CommandLine commandLine = new CommandLine(new Main());
    commandLine.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          if (e instanceof StartFailure
              || e instanceof ScenarioException
              || e instanceof IllegalStateException
              || e instanceof IllegalArgumentException
              || e instanceof UncheckedIOException) {
            System.err.println(e.getMessage());
          } else {
            e.printStackTrace();
          }
          return 1;
        });
    System.exit(commandLine.execute(args));
  }

  @Override
  public void run() {
    new CommandLine(this).usage(System.out);
  }
}
