package io.tocsin.embedded.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.clickhouse.ClickHouseException;
import io.tocsin.embedded.scenario.ScenarioReport.Finding;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Plays scenarios against a running pipeline: sends, then asks ClickHouse until all expectations
 * hold or time is over, then asks for what must not have happened.
 *
 * @param clickHouse to ask
 * @param sender to send
 * @param agent to configure the agent as the scenario wants it
 * @param rules to put rules in force
 * @param progress takes one line at a time
 */
public record ScenarioRunner(
    ClickHouseClient clickHouse,
    TrafficSender sender,
    AgentControl agent,
    RulesControl rules,
    Consumer<String> progress) {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
  private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);
  private static final Duration RESEND_INTERVAL = Duration.ofSeconds(1);

  /**
   * Plays one scenario to its end, whether it passes or not.
   *
   * @throws ScenarioException where it cannot be played
   */
  public ScenarioReport play(Scenario scenario) {
    boolean changesAgent = !scenario.agent().isEmpty();
    if (changesAgent) {
      agent.restartAgent(scenario.agent());
    }
    try {
      for (Step step : scenario.send()) {
        progress.accept(step.summary());
        take(step, scenario.withinSeconds());
      }
      long start = System.nanoTime();
      List<Finding> findings = new ArrayList<>(awaitAll(scenario, start));
      if (findings.stream().allMatch(Finding::holds)) {
        findings.addAll(askNever(scenario));
      }
      return new ScenarioReport(scenario, findings, secondsSince(start));
    } finally {
      if (changesAgent) {
        agent.restartAgent(JsonNodeFactory.instance.objectNode());
      }
    }
  }

  /** Asks now what must not have happened: what comes late is seen when this is asked again. */
  public List<Finding> askNever(Scenario scenario) {
    return scenario.never().stream().map(expectation -> ask(expectation, true)).toList();
  }

  private void take(Step step, int withinSeconds) {
    if (step.rules() != null) {
      TimedDocuments.fill(Path.of(step.rules()), Clock.systemUTC().instant(), rules::pushRules);
    }
    if (step.isTraffic()) {
      sender.send(step.arguments());
    }
    if (step.until() != null) {
      awaitUntil(step, withinSeconds);
    }
  }

  /** Waits for the condition of a step, and sends its file again meanwhile. */
  private void awaitUntil(Step step, int withinSeconds) {
    long start = System.nanoTime();
    long nextSending = start + RESEND_INTERVAL.toNanos();
    while (true) {
      Finding finding = ask(step.until(), false);
      if (finding.holds()) {
        return;
      }
      if (secondsSince(start) > withinSeconds) {
        throw new ScenarioException(
            "not within %d s, so the rest was not sent: %s"
                .formatted(withinSeconds, finding.text()));
      }
      if (step.isTraffic() && System.nanoTime() > nextSending) {
        sender.send(step.arguments());
        nextSending = System.nanoTime() + RESEND_INTERVAL.toNanos();
      }
      pause();
    }
  }

  private List<Finding> awaitAll(Scenario scenario, long start) {
    long nextProgress = start + PROGRESS_INTERVAL.toNanos();
    while (true) {
      List<Finding> findings =
          scenario.expect().stream().map(expectation -> ask(expectation, false)).toList();
      List<Finding> open = findings.stream().filter(finding -> !finding.holds()).toList();
      if (open.isEmpty() || secondsSince(start) > scenario.withinSeconds()) {
        return findings;
      }
      if (System.nanoTime() > nextProgress) {
        progress.accept(
            "waiting until %s (%.0f s)"
                .formatted(open.get(0).expectation().name(), secondsSince(start)));
        nextProgress = System.nanoTime() + PROGRESS_INTERVAL.toNanos();
      }
      pause();
    }
  }

  private Finding ask(Expectation expectation, boolean mustNotHappen) {
    try {
      JsonNode rows = clickHouse.rows(expectation.sql());
      return new Finding(expectation, expectation.holds(rows), rows.toString(), mustNotHappen);
    } catch (ClickHouseException e) {
      return new Finding(expectation, false, e.getMessage(), mustNotHappen);
    }
  }

  private static double secondsSince(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_INTERVAL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted while waiting for the expectations");
    }
  }
}
