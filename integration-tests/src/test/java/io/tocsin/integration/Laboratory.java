package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Something real on this machine, mostly a network in namespaces, and a stack that watches it: a
 * script {@code labs/<name>/lab}, whose head shows what it builds.
 */
final class Laboratory {
  private final Path script;

  /** Null until that stands: another laboratory may have to go first. */
  private Stack stack;

  private Laboratory(Path script) {
    this.script = script;
  }

  /**
   * Builds it and starts the stack. Without root or a program the test is skipped with the reason;
   * in CI it fails.
   *
   * @param name folder below {@code labs}
   * @param packages of Debian, by the program that is needed
   */
  static Laboratory up(String name, Map<String, String> packages) throws Exception {
    return up(name, packages, UnaryOperator.identity());
  }

  /** The same with other options of the stack. */
  static Laboratory up(
      String name, Map<String, String> packages, UnaryOperator<StackOptions> change)
      throws Exception {
    List<String> reasons = new ArrayList<>();
    if (!"root".equals(System.getProperty("user.name"))) {
      reasons.add("a laboratory needs root");
    }
    new TreeMap<>(packages)
        .forEach(
            (program, debianPackage) -> {
              if (Tools.onPath(program).isEmpty()) {
                reasons.add(program + " is missing: apt-get install " + debianPackage);
              }
            });
    if ("true".equals(System.getenv("CI"))) {
      assertThat(reasons).as("CI must run the laboratory %s", name).isEmpty();
    }
    assumeTrue(reasons.isEmpty(), () -> String.join("; ", reasons));
    Laboratory laboratory =
        new Laboratory(
            TestStacks.tools()
                .repository()
                .resolve("integration-tests/labs")
                .resolve(name + "/lab"));
    try {
      laboratory.run("up");
      laboratory.stack = TestStacks.create(name, change);
      laboratory.stack.start();
    } catch (Exception | AssertionError e) {
      laboratory.down();
      throw e;
    }
    return laboratory;
  }

  /** The stack that watches; it runs. */
  Stack stack() {
    return stack;
  }

  /**
   * What the stack has stored.
   *
   * @param select without the word SELECT
   */
  JsonNode rows(String select) {
    return stack.clickHouse().rows("SELECT " + select);
  }

  /** The first row of it. */
  JsonNode row(String select) {
    return rows(select).path(0);
  }

  /** The first value of its first row. */
  double number(String select) {
    return row(select).path(0).asDouble();
  }

  /** Runs a command of the laboratory to its end, which must be a good one. */
  void run(String... arguments) throws IOException, InterruptedException {
    Ended ended = Ended.of(begin(arguments));
    assertThat(ended.exitCode())
        .as("lab %s: %s", String.join(" ", arguments), ended.output())
        .isZero();
  }

  /** Starts a command of the laboratory. */
  Process begin(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(script.toString());
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** Stops the stack and takes away what was built. */
  void down() throws Exception {
    try {
      if (stack != null) {
        stack.close();
      }
    } finally {
      run("down");
    }
  }
}
