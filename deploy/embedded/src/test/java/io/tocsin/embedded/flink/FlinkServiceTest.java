package io.tocsin.embedded.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FlinkServiceTest {

  private static String job(String name, String state, int running) {
    return "{\"name\":\"%s\",\"state\":\"%s\",\"tasks\":{\"running\":%d,\"total\":2}}"
        .formatted(name, state, running);
  }

  private static String overview(String... jobs) {
    return Stream.of(jobs).collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
  }

  @Test
  void readyWhenAllJobsRunWithAllTheirTasks() {
    String overview =
        overview(job("a", "RUNNING", 2), job("b", "RUNNING", 2), job("c", "RUNNING", 2));
    assertThat(FlinkService.jobsRunning(overview)).isEmpty();
  }

  @Test
  void notReadyWhileAJobIsMissingOrATaskDoesNotRun() {
    List<String> overviews =
        List.of(
            overview(),
            overview(job("a", "RUNNING", 2), job("b", "RUNNING", 2)),
            overview(job("a", "RUNNING", 2), job("b", "RUNNING", 2), job("c", "RUNNING", 1)),
            overview(job("a", "RUNNING", 2), job("b", "RUNNING", 2), job("c", "RESTARTING", 0)),
            "<html>");
    assertThat(overviews)
        .allSatisfy(overview -> assertThat(FlinkService.jobsRunning(overview)).isPresent());
    assertThat(FlinkService.jobsRunning(overviews.get(3)))
        .contains("2 of 3 jobs run: c is restarting");
  }
}
