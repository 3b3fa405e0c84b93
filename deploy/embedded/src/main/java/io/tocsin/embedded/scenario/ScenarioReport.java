package io.tocsin.embedded.scenario;

import java.util.List;

/**
 * What came of a scenario.
 *
 * @param scenario that was played
 * @param findings one for each expectation that was asked, in order
 * @param seconds from the end of sending to the last answer
 */
public record ScenarioReport(Scenario scenario, List<Finding> findings, double seconds) {

  /**
   * The answer to one expectation.
   *
   * @param expectation that was asked
   * @param holds whether the rows were the expected ones
   * @param actual the rows as JSON, or ClickHouse's message where it refused the question
   * @param mustNotHappen whether the expectation stands under {@code never}
   */
  public record Finding(
      Expectation expectation, boolean holds, String actual, boolean mustNotHappen) {

    /** One line where it holds; with the rows that were expected and found where it does not. */
    public String text() {
      String line =
          (holds ? "ok    " : "FAILED ") + (mustNotHappen ? "never: " : "") + expectation.name();
      return holds
          ? line
          : line + "\n        expected " + expectation.equals() + "\n        found    " + actual;
    }
  }

  /** Whether everything is as expected. */
  public boolean passed() {
    return findings.stream().allMatch(Finding::holds);
  }

  /** The findings as text, one or more lines each. */
  public String text() {
    return String.join("\n", findings.stream().map(Finding::text).toList());
  }
}
