package io.tocsin.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** A program that this machine has or that {@code deploy/embedded/bin/tools} brings. */
public final class FetchedProgram {
  private static final int DEADLINE_SECONDS = 60;

  private final String path;

  private FetchedProgram(String path) {
    this.path = path;
  }

  /**
   * Looks for it; the test is skipped where it is not there, and fails with {@code CI=true}.
   *
   * @param tool that brings it, as bin/tools names it
   * @param folder where the tool puts it, below .tocsin/tools
   */
  public static FetchedProgram find(String name, String tool, String folder) {
    String places =
        System.getenv("PATH") + ":" + Path.of("..", "..", ".tocsin/tools").resolve(folder);
    Optional<Path> found =
        Stream.of(places.split(":"))
            .map(entry -> Path.of(entry, name))
            .filter(Files::isExecutable)
            .findFirst();
    if (found.isEmpty()) {
      skip("no %s: `deploy/embedded/bin/tools %s` brings it".formatted(name, tool));
    }
    return new FetchedProgram(found.orElseThrow().toAbsolutePath().toString());
  }

  /** Ends the test with a reason: skipped, or failed with {@code CI=true}. */
  public static void skip(String reason) {
    if ("true".equals(System.getenv("CI"))) {
      Assertions.fail(reason);
    }
    Assumptions.abort(reason);
  }

  /** Starts it in a folder; its log is in {@code log.txt} there. */
  public Process start(Path folder, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(path));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log.txt").toFile())
        .start();
  }

  /** What it prints in a folder; it must end well, and in time. */
  public String run(Path folder, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(path));
    command.addAll(List.of(arguments));
    // Its output is small: it does not wait for a reader.
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " has not ended within " + DEADLINE_SECONDS + " s");
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as("%s: %s", command, output).isZero();
    return output;
  }
}
