package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.alertmanager.AlertmanagerService;
import io.tocsin.embedded.alertmanager.HeartbeatService;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.kafka.KafkaService;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What watches over a running stack: its metrics are those that alerts ask for, and whichever part
 * stands still, the receiver of heartbeats complains, and no longer than that.
 */
@TestMethodOrder(OrderAnnotation.class)
class MonitoringDrillsTest {
  private static final Duration DEADLINE = TestStacks.DEADLINE;
  private static final Duration EVERY = Duration.ofSeconds(2);

  /**
   * A part is stopped only while there is no complaint: a busy machine makes this slower, no more.
   */
  private static final Duration SILENT_AFTER = Duration.ofSeconds(15);

  /** ClickHouse's and up are those of others: the embedded engine has no such page. */
  private static final Pattern METRIC_OF_A_RULE =
      Pattern.compile("(tocsin_agent|flink|alertmanager_notifications)_\\w+");

  private static final ObjectMapper JSON = new ObjectMapper();

  private static Stack stack;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("monitoring");
    stack.start();
    stack.startHeartbeat(EVERY, SILENT_AFTER);
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  /** A window over everything is how people mean to be left alone: by faults, not by this. */
  @Test
  @Order(1)
  void beatsComeThroughMaintenanceOfEverythingAndStandOnNoPageOfTheDesk() throws Exception {
    stack.pushRules(maintenanceOfEverything());
    long beats = beats();
    await("beats during maintenance of everything")
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(beats()).isGreaterThan(beats + 3));
    await("a beat that was heard")
        .atMost(DEADLINE)
        .until(() -> complains() == 0 && silence() < SILENT_AFTER.toSeconds());

    assertThat(count("tocsin.alert_history WHERE source = 'tocsin-heartbeat'")).isZero();
    assertThat(count("tocsin.alerts WHERE source = 'tocsin-heartbeat'")).isZero();
    assertThat(count("tocsin.pages WHERE raw LIKE '%tocsin-heartbeat%'")).isZero();
    assertThat(count("tocsin.rejects")).isZero();
  }

  @Test
  @Order(2)
  void metricsThatAlertsAskForAreThoseOfARunningStack() throws Exception {
    String rules =
        Files.readString(TestStacks.tools().repository().resolve("deploy/prometheus/rules.yml"));
    String answers =
        metricsAt(stack.ports().agentTelemetry())
            + metricsAt(stack.ports().flinkMetrics())
            + metricsAt(stack.ports().alertmanager());

    assertThat(METRIC_OF_A_RULE.matcher(rules).results().map(MatchResult::group))
        .hasSizeGreaterThan(4)
        // Without TLS there is no certificate: the metric is there, and nothing under it.
        .allSatisfy(
            name -> assertThat(answers).containsAnyOf("\n" + name + "{", "# TYPE " + name + " "));
  }

  @Test
  @Order(3)
  void traceSaysWhereAnEventIsAndWhatItCaused() throws Exception {
    sendUpdate("drill-trace");
    String events = "tocsin.alert_updates WHERE source = 'drill-trace'";
    String transitions = "tocsin.alert_history WHERE source = 'drill-trace'";
    await("the update and its alert in ClickHouse")
        .atMost(DEADLINE)
        .until(() -> count(events) == 1 && count(transitions) == 1);
    String id = stack.clickHouse().rows("SELECT event_id FROM " + events).at("/0/0").asText();

    await("a commit of the archive job behind it")
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              JsonNode trace = JSON.readTree(traced(0, id, "--json")).path("trace");
              assertThat(trace.at("/stored/table").asText()).isEqualTo("alert_updates");
              assertThat(trace.at("/kafka/topic").asText()).isEqualTo("events-alert-v1");
              assertThat(trace.path("groups"))
                  .anySatisfy(
                      group -> {
                        assertThat(group.path("name").asText()).isEqualTo("tocsin-archive");
                        assertThat(group.path("has_passed").asBoolean()).isTrue();
                      });
              assertThat(trace.at("/alerts/0/transition").asText()).isEqualTo("opened");
              assertThat(trace.path("unknown")).isEmpty();
            });
    assertThat(traced(0, id)).contains("it is stored, in tocsin.alert_updates");
    String ofNoRun = "nobody-" + id.substring(id.lastIndexOf('-', id.lastIndexOf('-') - 1) + 1);
    assertThat(traced(1, ofNoRun)).contains("the id is wrong");
  }

  private static String traced(int exitCode, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(TestStacks.tools().tocsin().toString(), "trace"));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--kafka", stack.kafkaBootstrapServers()));
    command.addAll(List.of("--clickhouse", stack.clickHouseUrl()));
    Ended ended = Ended.of(new ProcessBuilder(command));
    assertThat(ended.exitCode()).as("%s: %s", command, ended.output()).isEqualTo(exitCode);
    return ended.output();
  }

  private static void sendUpdate(String source) throws IOException {
    Datagram.send(
        """
        {"action":"update","source":"%s","device":"n1","check":"node","severity":"minor","summary":"node down"}"""
            .formatted(source),
        stack.ports().alertUpdates());
  }

  private static String metricsAt(int port) throws IOException, InterruptedException {
    return Http.text(URI.create("http://127.0.0.1:%d/metrics".formatted(port)));
  }

  @Order(4)
  @ParameterizedTest
  @ValueSource(
      strings = {
        AgentService.NAME,
        KafkaService.NAME,
        FlinkService.NAME,
        ClickHouseService.NAME,
        AlertmanagerService.NAME,
        HeartbeatService.SENDER
      })
  void partThatStandsStillIsComplainedAboutUntilItIsBack(String part) throws Exception {
    await("beats before " + part + " stands still").atMost(DEADLINE).until(() -> complains() == 0);
    long pid = stack.supervisor().pid(part);

    Signal.send("STOP", pid);
    try {
      await("the complaint while " + part + " stands still")
          .atMost(DEADLINE)
          .until(() -> complains() == 1);
    } finally {
      // It was dead to all others; now it dies, and the supervisor starts it again.
      Signal.send("KILL", pid);
    }

    await("the end of the complaint when " + part + " is back")
        .atMost(DEADLINE)
        .until(() -> complains() == 0);
    assertThat(stack.supervisor().starts(part)).as("starts of %s", part).isEqualTo(2);
  }

  private static Path maintenanceOfEverything() throws IOException {
    Path folder = Files.createDirectories(stack.state().root().resolve("maintenance"));
    Files.writeString(
        folder.resolve("everything.yaml"),
        """
        kind: maintenance
        name: everything
        starts: 2020-01-01T00:00:00Z
        ends: 2100-01-01T00:00:00Z
        alerts: { device: "*" }
        """);
    return folder;
  }

  /** Different ones that ClickHouse has. */
  private static long beats() {
    return stack
        .clickHouse()
        .rows(
            "SELECT uniqExact(summary) FROM tocsin.alert_updates WHERE source = 'tocsin-heartbeat'")
        .at("/0/0")
        .asLong();
  }

  private static long count(String from) {
    return stack.clickHouse().rows("SELECT count() FROM " + from).at("/0/0").asLong();
  }

  private static double complains() throws IOException, InterruptedException {
    return metric("tocsin_heartbeat_complains");
  }

  private static double silence() throws IOException, InterruptedException {
    return metric("tocsin_heartbeat_silence_seconds");
  }

  private static double metric(String name) throws IOException, InterruptedException {
    return metricsAt(stack.ports().heartbeat())
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }
}
