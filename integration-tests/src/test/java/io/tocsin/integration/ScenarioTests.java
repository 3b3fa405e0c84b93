package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tocsin.embedded.scenario.Scenario;
import io.tocsin.embedded.scenario.ScenarioReport;
import io.tocsin.embedded.scenario.ScenarioReport.Finding;
import io.tocsin.embedded.scenario.ScenarioRunner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DynamicTest;

/**
 * Makes one test of each scenario folder, and one that asks in the end whether anything that must
 * not happen has happened since.
 */
final class ScenarioTests {
  private ScenarioTests() {}

  /** All scenarios, in the order of their names, on one pipeline. */
  static List<DynamicTest> playedBy(ScenarioRunner runner) {
    Path folder = TestStacks.tools().scenarios();
    List<String> names = Scenario.names(folder);
    assertThat(names).as("scenarios in %s", folder).isNotEmpty();
    return playedBy(runner::play, runner::askNever, names);
  }

  /**
   * Some scenarios by name, in this order, on one pipeline.
   *
   * @param player plays one
   * @param late asks once more what must not have happened
   */
  static List<DynamicTest> playedBy(
      Function<Scenario, ScenarioReport> player,
      Function<Scenario, List<Finding>> late,
      List<String> names) {
    Path folder = TestStacks.tools().scenarios();
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : names) {
      tests.add(
          dynamicTest(
              name,
              folder.resolve(name).toUri(),
              () -> check(player.apply(Scenario.read(folder.resolve(name))))));
    }
    tests.add(
        dynamicTest(
            "nothing that must not happen came late",
            () -> {
              for (String name : names) {
                Scenario scenario = Scenario.read(folder.resolve(name));
                check(new ScenarioReport(scenario, late.apply(scenario), 0));
              }
            }));
    return tests;
  }

  private static void check(ScenarioReport report) {
    assertThat(report.passed()).as("%s%n%s", report.scenario().title(), report.text()).isTrue();
  }
}
