package io.tocsin.integration;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Stack;
import io.tocsin.rules.command.Main;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code tocsin-rules push}, in a process of its own. */
final class RulePush {
  private RulePush() {}

  /**
   * Publishes the documents of a folder to a stack.
   *
   * @return exit code
   */
  static int of(Stack stack, Path folder, String... options)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("push"));
    arguments.addAll(List.of(options));
    arguments.addAll(List.of("--kafka", stack.kafkaBootstrapServers(), folder.toString()));
    Ended ended =
        Ended.of(
            new ProcessBuilder(
                JavaProcess.command(Main.class, "128m", JavaProcess.quickStartFlags(), arguments)));
    System.out.println(ended.output());
    return ended.exitCode();
  }
}
