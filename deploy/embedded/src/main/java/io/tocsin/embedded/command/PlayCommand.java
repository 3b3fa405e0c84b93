package io.tocsin.embedded.command;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.control.StackControl;
import io.tocsin.embedded.scenario.Scenario;
import io.tocsin.embedded.scenario.ScenarioPlayer;
import io.tocsin.embedded.scenario.ScenarioReport;
import io.tocsin.embedded.scenario.ScenarioReport.Finding;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code stack play}: a scenario on a stack that runs. Without a name, the list of scenarios. The
 * exit code is 1 where something else was found than what was expected.
 */
@Command(
    name = "play",
    sortOptions = false,
    description = "Play a scenario on the stack that runs; without a name, list them.")
final class PlayCommand implements Callable<Integer> {

  @Mixin private StackArguments arguments;

  @Parameters(paramLabel = "SCENARIO", arity = "0..1", description = "name of its folder")
  private String name;

  @Override
  public Integer call() throws IOException {
    Tools tools = Tools.find();
    List<String> names = Scenario.names(tools.scenarios());
    if (name == null) {
      for (String each : names) {
        System.out.printf(
            "%-26s %s%n", each, Scenario.read(tools.scenarios().resolve(each)).title());
      }
      return 0;
    }
    if (!names.contains(name)) {
      System.err.printf("there is no scenario '%s': %s%n", name, String.join(" ", names));
      return 2;
    }
    ProgressLines progress = new ProgressLines();
    StateFolder state = new StateFolder(arguments.state);
    StackControl control = new StackControl(state);
    Ports ports = new Ports(arguments.portOffset);
    ClickHouseClient clickHouse =
        new ClickHouseClient("http://127.0.0.1:" + ports.clickHouseHttp());
    TrafficSender sender = TrafficSender.local(tools.tocsin(), ports, state, progress);
    ScenarioRunner runner = new ScenarioRunner(clickHouse, sender, control, control, progress);
    boolean wasPlayed = remember(state.of("played"));
    ScenarioReport report = new ScenarioPlayer(tools.scenarios(), runner).play(name);
    report.findings().forEach(PlayCommand::print);
    if (!report.passed() && wasPlayed) {
      System.out.printf(
          "%n%s was played on this stack before, and what it counts is of one play. A fresh stack:"
              + " make down, make clean, make up.%n",
          name);
    }
    return report.passed() ? 0 : 1;
  }

  private static void print(Finding finding) {
    System.out.printf(
        "%n%s%s%n  %s%n  expected %s%n  found    %s%n",
        finding.mustNotHappen() ? "never: " : "",
        finding.expectation().name(),
        finding.expectation().sql(),
        finding.expectation().equals(),
        finding.actual());
  }

  /** Whether the stack has heard the scenario before; from now on it has. */
  private boolean remember(Path played) throws IOException {
    boolean before = Files.exists(played) && Files.readAllLines(played).contains(name);
    Files.writeString(played, name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return before;
  }
}
