package io.tocsin.integration;

import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * Embedded stacks of the tests' own: free ports and an empty state folder under {@code target/}.
 */
final class TestStacks {
  /** For what comes within seconds where a machine has nothing else to do. */
  static final Duration DEADLINE = Duration.ofMinutes(3);

  private TestStacks() {}

  /** What {@code make build} has left; tests name the missing file and say so. */
  static Tools tools() {
    return Tools.find();
  }

  /**
   * A stack that is not started. Its logs stay in {@code target/stacks/<name>/logs}.
   *
   * @param name of its state folder, which is emptied
   */
  static Stack create(String name) {
    return create(name, 1);
  }

  /** The same with so many instances of each operator of the jobs. */
  static Stack create(String name, int parallelism) {
    return create(name, options -> options.withParallelism(parallelism));
  }

  /** The same with Kafka behind TLS, logins and permissions. */
  static Stack createSecured(String name) {
    return create(name, StackOptions::secured);
  }

  /** The same with other options. */
  static Stack create(String name, UnaryOperator<StackOptions> change) {
    return new Stack(
        change.apply(StackOptions.of(FreePorts.reserve().offset(), emptyState(name).root())),
        tools(),
        line -> System.out.println("[" + name + "] " + line));
  }

  /** An empty state folder. */
  static StateFolder emptyState(String name) {
    StateFolder state =
        new StateFolder(
            tools().repository().resolve(Path.of("integration-tests/target/stacks", name)));
    state.delete();
    return state;
  }
}
