package io.tocsin.embedded.command;

import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.scenario.ScenarioPlayer;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code stack run-with}: starts a stack of its own in an empty state folder, runs a command that
 * finds it by environment variables, and stops the stack. The exit code is the command's.
 */
@Command(
    name = "run-with",
    sortOptions = false,
    description = {
      "Run a command beside a fresh stack, which it finds by TOCSIN_TEST_CLICKHOUSE_URL, TOCSIN_TEST_KAFKA and",
      "TOCSIN_PORT_OFFSET. The exit code is the command's."
    })
final class RunWithCommand implements Callable<Integer> {

  /** How much of the stack the command needs. */
  enum Parts {
    /** Kafka and ClickHouse, without topics and tables. */
    STORES,
    /** Everything. */
    ALL
  }

  @Option(names = "--port-offset", description = "added to every port (default: the first free)")
  private Integer portOffset;

  @Option(
      names = "--state",
      required = true,
      paramLabel = "DIR",
      description = "emptied before and removed after success")
  private Path state;

  @Option(
      names = "--parts",
      defaultValue = "ALL",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private Parts parts;

  @Option(
      names = "--play",
      paramLabel = "SCENARIO",
      description = "play this scenario first; can be repeated")
  private List<String> scenarios = List.of();

  @Parameters(
      paramLabel = "COMMAND",
      arity = "1..*",
      description = "program and arguments, after --")
  private List<String> command;

  @Option(names = "--help", usageHelp = true, description = "print this and exit")
  private boolean isHelpRequested;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ProgressLines progress = new ProgressLines();
    Tools tools = Tools.find();
    StateFolder folder = new StateFolder(state);
    folder.delete();
    StackLock lock = new StackLock(folder);
    int offset = portOffset == null ? FreePorts.reserve().offset() : portOffset;
    Stack stack = new Stack(StackOptions.of(offset, folder.root()), tools, progress);
    Shutdown.onSignal(stack, lock);
    if (parts == Parts.STORES) {
      stack.startStores();
    } else {
      stack.start();
    }
    TrafficSender sender = TrafficSender.local(tools.tocsin(), stack.ports(), folder, progress);
    ScenarioPlayer player =
        new ScenarioPlayer(
            tools.scenarios(),
            new ScenarioRunner(stack.clickHouse(), sender, stack, stack, progress));
    for (String name : scenarios) {
      if (!player.play(name).passed()) {
        return 1;
      }
    }
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("TOCSIN_TEST_CLICKHOUSE_URL", stack.clickHouseUrl());
    builder.environment().put("TOCSIN_TEST_KAFKA", stack.kafkaBootstrapServers());
    builder.environment().put("TOCSIN_PORT_OFFSET", Integer.toString(offset));
    int exitCode = builder.start().waitFor();
    stack.close();
    if (exitCode == 0) {
      lock.close();
      folder.delete();
    }
    return exitCode;
  }
}
