package io.tocsin.integration;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Stack;
import io.tocsin.rules.command.Main;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code tocsin-rules}, in a process of its own. */
final class RulesCommand {
  private RulesCommand() {}

  /** Runs it against a stack, to its end. */
  static Ended of(Stack stack, String... command) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of("--kafka", stack.kafkaBootstrapServers()));
    Ended ended =
        Ended.of(
            new ProcessBuilder(
                JavaProcess.command(Main.class, "128m", JavaProcess.quickStartFlags(), arguments)));
    System.out.println(ended.output());
    return ended;
  }
}
