package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every scenario on one embedded stack, all at the same time: as on a real network, none has the
 * pipeline for itself. Where one wants the agent configured otherwise, it plays alone.
 */
class ScenariosOnEmbeddedStackTest {
  /** Each instance more costs a busy machine time in which pages go out before their company. */
  private static final String USUAL_PARALLELISM = "1";

  private static Stack stack;

  @BeforeAll
  static void startStack() {
    // make exports it empty where nobody has set it.
    String wanted = System.getenv().getOrDefault("PARALLELISM", "");
    stack =
        TestStacks.create(
            "scenarios", Integer.parseInt(wanted.isEmpty() ? USUAL_PARALLELISM : wanted));
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void theMetricsOfOurOwnAreThoseOfTheReadme() throws Exception {
    URI metrics = URI.create("http://127.0.0.1:" + stack.ports().flinkMetrics() + "/metrics");
    Set<String> listed = JobMetrics.listed(TestStacks.tools().repository());
    assertThat(JobMetrics.exposed(Http.text(metrics))).isSubsetOf(listed);
    assertThat(listed).contains(JobMetrics.FROM_FIRST_EVENT);
    listed.remove(JobMetrics.FROM_FIRST_EVENT);
    assertThat(JobMetrics.exposed(Http.text(metrics))).containsAll(listed);
  }

  @TestFactory
  List<DynamicTest> scenarios() {
    Consumer<String> progress = System.out::println;
    TrafficSender sender =
        TrafficSender.local(TestStacks.tools().tocsin(), stack.ports(), stack.state(), progress);
    ScenarioRunner runner = new ScenarioRunner(stack.clickHouse(), sender, stack, stack, progress);
    return ScenarioTests.playedTogetherBy(runner);
  }
}
