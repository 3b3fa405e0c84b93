package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A network in namespaces of this machine: a script {@code labs/<name>/lab}, whose head shows it.
 */
final class Laboratory {
  private final Path script;

  private Laboratory(Path script) {
    this.script = script;
  }

  /**
   * Builds it. Without root or a program the test is skipped with the reason; in CI it fails.
   *
   * @param name folder below {@code labs}
   * @param packages of Debian, by the program that is needed
   */
  static Laboratory up(String name, Map<String, String> packages)
      throws IOException, InterruptedException {
    List<String> reasons = new ArrayList<>();
    if (!"root".equals(System.getProperty("user.name"))) {
      reasons.add("network namespaces need root");
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
    } catch (AssertionError e) {
      laboratory.down();
      throw e;
    }
    return laboratory;
  }

  /** Runs a command of the laboratory to its end, which must be a good one. */
  void run(String... arguments) throws IOException, InterruptedException {
    Process process = begin(arguments);
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("lab %s: %s", String.join(" ", arguments), said).isZero();
  }

  /** Starts a command of the laboratory. */
  Process begin(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(script.toString());
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** Takes everything away. */
  void down() throws IOException, InterruptedException {
    run("down");
  }
}
