package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tocsin.embedded.scenario.Scenario;
import io.tocsin.embedded.scenario.ScenarioReport;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DynamicTest;

/** Makes one test of each scenario folder. */
final class ScenarioTests {
  private ScenarioTests() {}

  /** All scenarios, in the order of their names, which {@code player} plays on one pipeline. */
  static List<DynamicTest> playedBy(Function<Scenario, ScenarioReport> player) {
    Path folder = TestStacks.tools().scenarios();
    List<String> names = Scenario.names(folder);
    assertThat(names).as("scenarios in %s", folder).isNotEmpty();
    return playedBy(player, names);
  }

  /** Some scenarios by name, in this order. */
  static List<DynamicTest> playedBy(Function<Scenario, ScenarioReport> player, List<String> names) {
    Path folder = TestStacks.tools().scenarios();
    return names.stream()
        .map(
            name ->
                dynamicTest(
                    name,
                    folder.resolve(name).toUri(),
                    () -> check(player.apply(Scenario.read(folder.resolve(name))))))
        .toList();
  }

  private static void check(ScenarioReport report) {
    assertThat(report.passed()).as("%s%n%s", report.scenario().title(), report.text()).isTrue();
  }
}
