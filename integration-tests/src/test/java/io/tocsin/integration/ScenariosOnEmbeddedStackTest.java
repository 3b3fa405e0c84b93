package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.rules.history.ClickHouseHistory;
import io.tocsin.rules.history.History;
import io.tocsin.rules.history.KafkaHistory;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
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
 * pipeline for itself. What wants another agent, or one page of one moment, plays alone.
 *
 * <p>In the end all that was stored is replayed: the same alerts and pages come of it.
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
    List<DynamicTest> tests = new ArrayList<>(ScenarioTests.playedTogetherBy(runner));
    tests.add(
        dynamicTest(
            "the rows of all of it, replayed, are the same alerts and pages",
            () -> sameWhenReplayed("clickhouse", rows(stack.clickHouseUrl()))));
    tests.add(
        dynamicTest(
            "the topics of all of it, replayed, are the same alerts and pages",
            () -> sameWhenReplayed("kafka", topics(stack.kafkaBootstrapServers()))));
    return tests;
  }

  private static History rows(String clickHouseUrl) {
    return new ClickHouseHistory(
        URI.create(clickHouseUrl), "default", "", HttpClient.newHttpClient());
  }

  private static History topics(String bootstrapServers) {
    return new KafkaHistory(KafkaConnection.of(bootstrapServers), TestStacks.DEADLINE);
  }

  private static void sameWhenReplayed(String from, History history) {
    LiveAndReplayed both =
        new LiveAndReplayed(stack.clickHouse(), stack.kafkaBootstrapServers(), history);
    ReplayExceptions exceptions = ReplayExceptions.of(from);
    assertThat(both.alerts()).isPositive();
    assertThat(exceptions.unexplained(both.differentAlerts())).isEmpty();
    // Alertmanager tells news of a group within a minute.
    await()
        .atMost(TestStacks.DEADLINE)
        .untilAsserted(() -> assertThat(exceptions.unexplained(both.differentPages())).isEmpty());
    assertThat(exceptions.unused()).as("listed in %s", ReplayExceptions.FILE).isEmpty();
  }
}
