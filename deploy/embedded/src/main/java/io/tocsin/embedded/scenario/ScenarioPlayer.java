package io.tocsin.embedded.scenario;

import java.nio.file.Path;

/**
 * Plays scenarios by name and says what comes of each, for a person at a terminal.
 *
 * @param scenarios folder of scenario folders
 * @param runner plays, and has the progress lines
 */
public record ScenarioPlayer(Path scenarios, ScenarioRunner runner) {

  /** Plays one. */
  public ScenarioReport play(String name) {
    Scenario scenario = Scenario.read(scenarios.resolve(name));
    runner.progress().accept(name + ": " + scenario.title());
    ScenarioReport report = runner.play(scenario);
    report.text().lines().forEach(line -> runner.progress().accept("  " + line));
    return report;
  }
}
