package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.kafka.KafkaService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kafka is lost with all it held, and brought back as deploy/backup.md tells: alerts that were open
 * are open and at the pager, their ends end them, and what came after the backup is as the jobs
 * know it.
 */
class KafkaLossDrillsTest {
  private static final String SOURCE = "kafka-loss";
  private static final int LOST_AND_RESTORED_ONCE = 1;

  private final StateFolder state = TestStacks.emptyState("kafka-loss");
  private final StackOptions options = StackOptions.of(FreePorts.reserve().offset(), state.root());
  private final Ports ports = options.ports();

  private Stack stack;

  @TempDir private Path folder;

  @AfterEach
  void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void alertsAndPagesGoOnWhereTheyStood() throws Exception {
    stack = stack(0);
    stack.start();
    List<String> devices = List.of("d1", "d2", "d3", "d4", "d5", "d6");
    for (String device : devices) {
      tell("update", device);
    }
    awaitOpen(devices);
    String backup = folder.resolve("topics.jsonl").toString();
    tocsin("save", backup);
    tell("delete", "d1");
    tell("update", "after-the-backup");
    awaitOpen(List.of("after-the-backup", "d2", "d3", "d4", "d5", "d6"));
    stack.close();

    new StateFolder(state.of(KafkaService.NAME)).delete();
    stack = stack(LOST_AND_RESTORED_ONCE);
    stack.startStores();
    tocsin("restore", backup);
    assertThat(lastWords()).as("of d1, as the backup has it").contains("d1 ALERT_STATE_OPEN");
    stack.close();
    stack = stack(LOST_AND_RESTORED_ONCE);
    stack.start();

    awaitOpen(List.of("after-the-backup", "d2", "d3", "d4", "d5", "d6"));
    tell("delete", "d2");
    tell("delete", "after-the-backup");
    tell("update", "d7");
    awaitOpen(List.of("d3", "d4", "d5", "d6", "d7"));
    await("the topic's last word of d1, which the backup has as open")
        .atMost(TestStacks.DEADLINE)
        .untilAsserted(
            () -> {
              tell("update", "d7");
              assertThat(lastWords()).contains("d1 ALERT_STATE_RESOLVED");
            });
    assertThat(stack.clickHouse().rows(transitions()))
        .as("transitions of each alert, each once, but for the end of d1, which was told again")
        .hasToString(
            "[[\"after-the-backup\",2],[\"d1\",3],[\"d2\",2],[\"d3\",1],[\"d4\",1],[\"d5\",1],[\"d6\",1],[\"d7\",1]]");
  }

  private Stack stack(int generation) {
    return new Stack(
        options
            .withKafkaGeneration(generation)
            // Alertmanager is started anew too, and knows alerts when they are posted again.
            .withJobOptions(Map.of("paging.resend-interval-seconds", "5")),
        TestStacks.tools(),
        line -> System.out.println("[kafka-loss] " + line));
  }

  private void tell(String action, String device) throws IOException {
    Datagram.send(
        """
        {"action":"%s","source":"%s","device":"%s","check":"node","severity":"critical","summary":"node"}"""
            .formatted(action, SOURCE, device),
        ports.alertUpdates());
  }

  private void tocsin(String action, String file) throws Exception {
    Ended ended =
        Ended.of(
            new ProcessBuilder(
                TestStacks.tools().tocsin().toString(),
                "topics",
                action,
                file,
                "--kafka",
                stack.kafkaBootstrapServers()));
    assertThat(ended.exitCode()).as(ended.output()).isZero();
    System.out.println(ended.output());
  }

  /** Waits until exactly these are open in the table and at the pager. */
  private void awaitOpen(List<String> devices) {
    await("open: " + devices)
        .atMost(TestStacks.DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(openInTable()).as("in tocsin.alerts").isEqualTo(devices);
              assertThat(openAtPager()).as("at Alertmanager").isEqualTo(devices);
            });
  }

  private List<String> openInTable() {
    String open =
        "SELECT device FROM tocsin.alerts FINAL WHERE source = '%s' AND state = 'open' ORDER BY device"
            .formatted(SOURCE);
    return installation().rows(open).map(row -> row.path(0).asText()).toList();
  }

  private List<String> openAtPager() throws IOException, InterruptedException {
    List<String> devices = new ArrayList<>();
    installation()
        .activeAlerts("?filter=source%3D" + SOURCE)
        .forEach(alert -> devices.add(alert.at("/labels/device").asText()));
    return devices.stream().sorted().toList();
  }

  private Installation installation() {
    return Installation.of("kafka-loss", stack);
  }

  private static String transitions() {
    return """
    SELECT device, count() FROM tocsin.alert_history FINAL WHERE source = '%s' AND transition IN ('opened', 'resolved')
    GROUP BY device ORDER BY device
    """
        .formatted(SOURCE);
  }

  /** "DEVICE STATE" of each alert, as the topic says last. */
  private List<String> lastWords() {
    Map<String, String> words = new TreeMap<>();
    new Topics(stack.kafkaBootstrapServers())
        .forEach(
            "alerts-v1",
            Alert.parser(),
            alert -> words.put(alert.getDevice(), alert.getState().name()));
    return words.entrySet().stream().map(word -> word.getKey() + " " + word.getValue()).toList();
  }
}
