package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tocsin.alerts.v1.Alert;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Kafka is lost with all it held, and brought back as deploy/backup.md tells: alerts that were open
 * are open and at the pager, their ends end them, and what came after the backup is as the jobs
 * know it.
 */
final class KafkaLoss {
  /** What {@code --kafka-generation} says afterwards. */
  static final int LOST_AND_RESTORED_ONCE = 1;

  private static final String SOURCE = "kafka-loss";

  private final Installation on;
  private final Path folder;

  /** What differs from one kind of installation to another. */
  interface Site {
    /**
     * Loses Kafka, stops whatever writes to it, and starts new, empty brokers: steps 1 and 2.
     *
     * @param loss to tell alerts by
     * @return devices whose alerts the agent was told while there was no Kafka
     */
    List<String> loseKafka(KafkaLoss loss) throws Exception;

    /** The rest of the schema, the jobs and the agent: steps 4 to 6. */
    void goOn() throws Exception;
  }

  /**
   * @param on what has started
   * @param folder for the backup
   */
  KafkaLoss(Installation on, Path folder) {
    this.on = on;
    this.folder = folder;
  }

  /** Plays all of it. */
  void alertsAndPagesGoOnWhereTheyStood(Site site) throws Exception {
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

    List<String> meanwhile = site.loseKafka(this);
    tocsin("restore", backup);
    assertThat(lastWords()).as("of d1, as the backup has it").contains("d1 ALERT_STATE_OPEN");
    site.goOn();

    awaitOpen(with(meanwhile, "after-the-backup", "d2", "d3", "d4", "d5", "d6"));
    tell("delete", "d2");
    tell("delete", "after-the-backup");
    tell("update", "d7");
    awaitOpen(with(meanwhile, "d3", "d4", "d5", "d6", "d7"));
    await("the topic's last word of d1, which the backup has as open")
        .atMost(TestStacks.DEADLINE)
        .untilAsserted(
            () -> {
              tell("update", "d7");
              assertThat(lastWords()).contains("d1 ALERT_STATE_RESOLVED");
            });
    assertThat(transitions())
        .as("transitions of each alert, each once, but for the end of d1, which was told again")
        .containsExactlyElementsOf(
            with(
                meanwhile.stream().map(device -> device + " 1").toList(),
                "after-the-backup 2",
                "d1 3",
                "d2 2",
                "d3 1",
                "d4 1",
                "d5 1",
                "d6 1",
                "d7 1"));
  }

  private static List<String> with(List<String> some, String... others) {
    return Stream.concat(some.stream(), Arrays.stream(others)).sorted().toList();
  }

  /** Sends an alert update. */
  void tell(String action, String device) throws IOException {
    Datagram.send(
        """
        {"action":"%s","source":"%s","device":"%s","check":"node","severity":"critical","summary":"node"}"""
            .formatted(action, SOURCE, device),
        on.ports().alertUpdates());
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
                on.kafkaBootstrapServers()));
    assertThat(ended.exitCode()).as(ended.output()).isZero();
    on.say(ended.output());
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
    return on.rows(open).map(row -> row.path(0).asText()).toList();
  }

  private List<String> openAtPager() throws IOException, InterruptedException {
    List<String> devices = new ArrayList<>();
    on.activeAlerts("?filter=source%3D" + SOURCE)
        .forEach(alert -> devices.add(alert.at("/labels/device").asText()));
    return devices.stream().sorted().toList();
  }

  /** "DEVICE COUNT" of each alert. */
  private List<String> transitions() {
    String counts =
        """
        SELECT device, count() FROM tocsin.alert_history FINAL WHERE source = '%s' AND transition IN ('opened', 'resolved')
        GROUP BY device ORDER BY device
        """
            .formatted(SOURCE);
    return on.rows(counts).map(row -> row.path(0).asText() + " " + row.path(1).asText()).toList();
  }

  /** "DEVICE STATE" of each alert, as the topic says last. */
  private List<String> lastWords() {
    Map<String, String> words = new TreeMap<>();
    new Topics(on.kafkaBootstrapServers())
        .forEach(
            "alerts-v1",
            Alert.parser(),
            alert -> words.put(alert.getDevice(), alert.getState().name()));
    return words.entrySet().stream().map(word -> word.getKey() + " " + word.getValue()).toList();
  }
}
