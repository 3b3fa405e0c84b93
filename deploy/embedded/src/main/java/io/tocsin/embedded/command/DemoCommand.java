package io.tocsin.embedded.command;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.control.ControlServer;
import io.tocsin.embedded.scenario.ScenarioPlayer;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stack demo}: a fresh stack, scenarios played on it, and what it found. */
@Command(
    name = "demo",
    sortOptions = false,
    description =
        "Start a fresh stack in an emptied folder, play scenarios, show what was found, stay until Ctrl-C.")
final class DemoCommand implements Callable<Integer> {

  @Mixin private StackArguments arguments;

  @Option(
      names = "--scenario",
      defaultValue = "ordinary-syslog,every-source,burst-500",
      split = ",",
      description = "default: ${DEFAULT-VALUE}")
  private List<String> scenarios;

  @Option(
      names = "--once",
      description = "end after the result; exit code 1 where it is not the expected one")
  private boolean once;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ProgressLines progress = new ProgressLines();
    Tools tools = Tools.find();
    StackOptions options = arguments.options("hashmap");
    StateFolder folder = options.state();
    StackLock lock = new StackLock(folder);
    lock.clearState();
    Stack stack = new Stack(options, tools, progress);
    Shutdown.onSignal(stack, lock);
    stack.start();
    lock.markReady();
    TrafficSender sender = TrafficSender.local(tools.tocsin(), stack.ports(), folder, progress);
    ScenarioPlayer player =
        new ScenarioPlayer(
            tools.scenarios(),
            new ScenarioRunner(stack.clickHouse(), sender, stack, stack, progress));
    boolean passed = true;
    for (String name : scenarios) {
      passed &= player.play(name).passed();
    }
    new DemoResult(stack, tools, System.out).print();
    if (once) {
      System.out.println(
          passed
              ? "\nEverything is as expected.\n"
              : "\nNot everything is as expected: see FAILED above.\n");
      return passed ? 0 : 1;
    }
    ControlServer.start(stack);
    System.out.println("\nThe stack stays up until Ctrl-C.\n");
    System.out.println(stack.supervisor().awaitFailure());
    return 1;
  }
}
