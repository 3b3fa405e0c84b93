package io.tocsin.embedded.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.StackOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlinkServiceTest {

  private static String job(String name, String state, int running) {
    return "{\"name\":\"%s\",\"state\":\"%s\",\"tasks\":{\"running\":%d,\"total\":2}}"
        .formatted(name, state, running);
  }

  private static String overview(String... jobs) {
    return Stream.of(jobs).collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
  }

  /** All jobs but the last run; the last one is called "last". */
  private static String overviewWith(String... last) {
    return overview(
        Stream.concat(
                Stream.generate(() -> job("other", "RUNNING", 2))
                    .limit(FlinkMain.jobNames().size() - 1L),
                Stream.of(last))
            .toArray(String[]::new));
  }

  @Test
  void pagesLeadToTheGrafanaOfThisStack(@TempDir Path folder) {
    assertThat(FlinkService.spec(StackOptions.of(200, folder), Optional.empty()).command())
        .contains(
            "--grafana-url=http://127.0.0.1:3200", "--alertmanager-urls=http://127.0.0.1:9293");
  }

  @Test
  void optionsOfJobsAreHandedOn(@TempDir Path folder) {
    StackOptions options =
        StackOptions.of(0, folder).withJobOptions(Map.of("findings.disk-wait-ms", "40"));

    assertThat(FlinkService.spec(options, Optional.empty()).command())
        .contains("--set=findings.disk-wait-ms=40");
  }

  @Test
  void theHeapIsAnEighthOfTheMemoryWithinBounds() {
    assertThat(FlinkService.largestHeapMib(24_000, 1)).isEqualTo(3_000);
    assertThat(FlinkService.largestHeapMib(4_000, 1)).isEqualTo(1_024);
    assertThat(FlinkService.largestHeapMib(4_000, 4)).isEqualTo(1_792);
    assertThat(FlinkService.largestHeapMib(256_000, 1)).isEqualTo(4_096);
  }

  @Test
  void readyWhenAllJobsRunWithAllTheirTasks() {
    assertThat(FlinkService.jobsRunning(overviewWith(job("last", "RUNNING", 2)))).isEmpty();
  }

  @Test
  void notReadyWhileAJobIsMissingOrATaskDoesNotRun() {
    List<String> overviews =
        List.of(
            overview(),
            overviewWith(),
            overviewWith(job("last", "RUNNING", 1)),
            overviewWith(job("last", "RESTARTING", 0)),
            "<html>");
    assertThat(overviews)
        .allSatisfy(overview -> assertThat(FlinkService.jobsRunning(overview)).isPresent());
    int jobs = FlinkMain.jobNames().size();
    assertThat(FlinkService.jobsRunning(overviews.get(3)))
        .contains("%d of %d jobs run: last is restarting".formatted(jobs - 1, jobs));
  }
}
