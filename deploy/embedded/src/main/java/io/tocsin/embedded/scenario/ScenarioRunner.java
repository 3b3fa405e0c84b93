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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
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
      return play(scenario, new CountDownLatch(1));
    } finally {
      if (changesAgent) {
        agent.restartAgent(JsonNodeFactory.instance.objectNode());
      }
    }
  }

  /**
   * Begins to play several at the same time. What each expects must hold within its seconds of the
   * end of sending of all: a balance sheet can be open as long as anybody sends.
   *
   * @param scenarios that leave the agent as it is
   */
  public Map<Scenario, Future<ScenarioReport>> playTogether(List<Scenario> scenarios) {
    scenarios.stream()
        .filter(scenario -> !scenario.agent().isEmpty())
        .findFirst()
        .ifPresent(
            scenario -> {
              throw new IllegalArgumentException(scenario.name() + " changes the agent of others");
            });
    CountDownLatch sending = new CountDownLatch(scenarios.size());
    ExecutorService threads = Executors.newCachedThreadPool();
    Map<Scenario, Future<ScenarioReport>> reports = new LinkedHashMap<>();
    for (Scenario scenario : scenarios) {
      reports.put(scenario, CompletableFuture.supplyAsync(() -> play(scenario, sending), threads));
    }
    threads.shutdown();
    return reports;
  }

  /**
   * Sends one scenario and waits for what it expects.
   *
   * @param sending of all that play at the same time
   */
  private ScenarioReport play(Scenario scenario, CountDownLatch sending) {
    try {
      for (Step step : scenario.send()) {
        progress.accept(step.summary());
        take(step, scenario.withinSeconds());
      }
    } finally {
      sending.countDown();
    }
    long start = System.nanoTime();
    List<Finding> findings = new ArrayList<>(awaitAll(scenario, sending));
    if (findings.stream().allMatch(Finding::holds)) {
      findings.addAll(askNever(scenario));
    }
    return new ScenarioReport(scenario, findings, secondsSince(start));
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
    if (step.says() != null) {
      sender.say(step.says());
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

  /** Asks all together once the one that did not hold before does, and when time is over. */
  private List<Finding> awaitAll(Scenario scenario, CountDownLatch sending) {
    long start = System.nanoTime();
    long allSent = start;
    long nextProgress = start + PROGRESS_INTERVAL.toNanos();
    Expectation open = scenario.expect().get(0);
    while (true) {
      if (sending.getCount() > 0) {
        allSent = System.nanoTime();
      }
      boolean isOver = secondsSince(allSent) > scenario.withinSeconds();
      if (isOver || ask(open, false).holds()) {
        List<Finding> findings =
            scenario.expect().stream().map(expectation -> ask(expectation, false)).toList();
        List<Finding> failed = findings.stream().filter(finding -> !finding.holds()).toList();
        if (isOver || failed.isEmpty()) {
          return findings;
        }
        open = failed.get(0).expectation();
      }
      if (System.nanoTime() > nextProgress) {
        progress.accept("waiting until %s (%.0f s)".formatted(open.name(), secondsSince(start)));
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
