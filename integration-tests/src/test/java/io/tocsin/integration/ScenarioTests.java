package io.tocsin.integration;

import static java.util.stream.Collectors.partitioningBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tocsin.embedded.scenario.Scenario;
import io.tocsin.embedded.scenario.ScenarioReport;
import io.tocsin.embedded.scenario.ScenarioReport.Finding;
import io.tocsin.embedded.scenario.ScenarioRunner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.DynamicTest;

/**
 * Makes one test of each scenario, and one that asks in the end whether anything that must not
 * happen has happened since.
 */
final class ScenarioTests {
  /** Of the longest scenario, however slow the machine is. */
  private static final int MOST_MINUTES = 10;

  /** Tests ask whether, {@code make play} and the benchmarks ask how soon. */
  private static final int WITHIN_SECONDS = 240;

  /** Sends something to every listener. */
  private static final String FIRST = "every-source";

  /**
   * Ask for one page of what opens in one moment. Beside thirty others that begin with them, a busy
   * machine takes longer for that moment than Alertmanager waits for company.
   */
  private static final Set<String> OF_ONE_MOMENT = Set.of("burst-500", "storm-with-noisy-members");

  private ScenarioTests() {}

  /**
   * All scenarios on one pipeline: together, after one that has gone every way first, because what
   * comes first through a new pipeline is slow. Those that want another agent, and those that ask
   * for one page of what opens in one moment, play alone after them.
   */
  static List<DynamicTest> playedTogetherBy(ScenarioRunner runner) {
    List<Scenario> scenarios = read(Scenario.names(TestStacks.tools().scenarios()));
    Scenario first =
        scenarios.stream()
            .filter(scenario -> scenario.name().equals(FIRST))
            .findAny()
            .orElseThrow();
    ScenarioReport firstReport = runner.play(first);
    Map<Boolean, List<Scenario>> byCompany =
        scenarios.stream()
            .filter(scenario -> scenario != first)
            .collect(partitioningBy(ScenarioTests::playsBesideOthers));
    Map<Scenario, Future<ScenarioReport>> reports = runner.playTogether(byCompany.get(true));
    List<DynamicTest> tests = new ArrayList<>();
    tests.add(test(first, () -> firstReport));
    reports.forEach(
        (scenario, report) ->
            tests.add(test(scenario, () -> report.get(MOST_MINUTES, TimeUnit.MINUTES))));
    byCompany
        .get(false)
        .forEach(scenario -> tests.add(test(scenario, () -> runner.play(scenario))));
    tests.add(nothingCameLate(runner::askNever, scenarios));
    return tests;
  }

  private static boolean playsBesideOthers(Scenario scenario) {
    return scenario.agent().isEmpty() && !OF_ONE_MOMENT.contains(scenario.name());
  }

  /**
   * Some scenarios by name, one after the other, on one pipeline.
   *
   * @param player plays one
   * @param late asks once more what must not have happened
   */
  static List<DynamicTest> playedBy(
      Function<Scenario, ScenarioReport> player,
      Function<Scenario, List<Finding>> late,
      List<String> names) {
    List<Scenario> scenarios = read(names);
    List<DynamicTest> tests = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      tests.add(test(scenario, () -> player.apply(scenario)));
    }
    tests.add(nothingCameLate(late, scenarios));
    return tests;
  }

  private static List<Scenario> read(List<String> names) {
    Path folder = TestStacks.tools().scenarios();
    assertThat(names).as("scenarios in %s", folder).isNotEmpty();
    return names.stream()
        .map(name -> Scenario.read(folder.resolve(name)).within(WITHIN_SECONDS))
        .toList();
  }

  private static DynamicTest test(Scenario scenario, Callable<ScenarioReport> report) {
    Path folder = TestStacks.tools().scenarios().resolve(scenario.name());
    return dynamicTest(scenario.name(), folder.toUri(), () -> check(report.call()));
  }

  private static DynamicTest nothingCameLate(
      Function<Scenario, List<Finding>> late, List<Scenario> scenarios) {
    return dynamicTest(
        "nothing that must not happen came late",
        () -> {
          for (Scenario scenario : scenarios) {
            check(new ScenarioReport(scenario, late.apply(scenario), 0));
          }
        });
  }

  private static void check(ScenarioReport report) {
    assertThat(report.passed()).as("%s%n%s", report.scenario().title(), report.text()).isTrue();
  }
}
