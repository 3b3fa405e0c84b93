package io.tocsin.embedded.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.FetchedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The files of deploy/prometheus, read by promtool. */
class PrometheusFilesTest {
  private static final Path FOLDER = Path.of("..", "prometheus");

  private static FetchedProgram promtool;

  @BeforeAll
  static void find() {
    promtool = FetchedProgram.find("promtool", "prometheus", "prometheus/bin");
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
    return promtool.run(FOLDER, arguments);
  }
}
