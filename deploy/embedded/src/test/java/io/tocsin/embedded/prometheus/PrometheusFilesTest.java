package io.tocsin.embedded.prometheus;

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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The files of deploy/prometheus, read by promtool. */
class PrometheusFilesTest {
  private static final Path FOLDER = Path.of("..", "prometheus");

  private static final int DEADLINE_SECONDS = 60;

  private static String promtool;

  @BeforeAll
  static void find() {
    String path = System.getenv("PATH") + ":" + Path.of("..", "..", ".tocsin/tools/prometheus/bin");
    Optional<Path> found =
        Stream.of(path.split(":"))
            .map(entry -> Path.of(entry, "promtool"))
            .filter(Files::isExecutable)
            .findFirst();
    if (found.isEmpty()) {
      String reason = "no promtool: `deploy/embedded/bin/tools prometheus` brings it";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(reason);
      }
      Assumptions.abort(reason);
    }
    promtool = found.get().toAbsolutePath().toString();
  }

  @Test
  void promtoolTakesTheScrapeConfigAndItsRules() throws Exception {
    assertThat(run("check", "config", "prometheus.yml")).contains("is valid prometheus config");
  }

  @Test
  void eachRuleFiresOnMadeUpSeriesAndStaysQuietOnOthers() throws Exception {
    assertThat(run("test", "rules", "rules.test.yml")).contains("SUCCESS");
  }

  @Test
  void eachRuleHasAStoryInWhichItFires() throws IOException {
    String stories = Files.readString(FOLDER.resolve("rules.test.yml"));

    assertThat(
            Files.readString(FOLDER.resolve("rules.yml"))
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("- alert: "))
                .map(line -> line.substring("- alert: ".length())))
        .isNotEmpty()
        .allSatisfy(
            alert ->
                assertThat(stories).contains("alertname: " + alert + "\n        exp_alerts:\n"));
  }

  private static String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(promtool));
    command.addAll(List.of(arguments));
    // Its output is small: it does not wait for a reader.
    Process process =
        new ProcessBuilder(command).directory(FOLDER.toFile()).redirectErrorStream(true).start();
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " has not ended within " + DEADLINE_SECONDS + " s");
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as("%s: %s", command, output).isZero();
    return output;
  }
}
