package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.flink.FlinkService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules come into force and leave it while the job runs. */
class RulesDrillsTest {
  private static Stack stack;

  @TempDir private Path folder;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("rules-drills");
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void rulesArePushedReplacedAndRemovedWithoutARestartAndABadOneChangesNothing() throws Exception {
    awaitAlertOf("link", "drill-shipped", "%LINK-3-UPDOWN: Interface Gi1, changed state to down");

    Files.writeString(folder.resolve("a.yaml"), rule("drill-a", "valve"));
    assertThat(push()).isZero();
    awaitAlertOf("drill-a", "drill-1", "plant: valve 7 stuck");

    Files.writeString(folder.resolve("bad.yaml"), "kind: rule\nname: bad\n");
    assertThat(push()).isEqualTo(64);
    Files.delete(folder.resolve("bad.yaml"));
    awaitAlertOf("drill-a", "drill-2", "plant: valve 8 stuck");

    Files.delete(folder.resolve("a.yaml"));
    Files.writeString(folder.resolve("b.yaml"), rule("drill-b", "pump"));
    assertThat(push("--prune")).isZero();
    // Records of one topic and lines of one device keep their order: with b in force, a is gone.
    awaitAlertOf("drill-b", "drill-3", "plant: pump 1 stuck");
    send("drill-3", "plant: valve 9 stuck");
    send("drill-3", "plant: pump 2 stuck");
    await("the line after the valve's")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(rows("SELECT count() FROM tocsin.syslog WHERE message = 'pump 2 stuck'"))
                    .hasToString("[[1]]"));
    assertThat(alerts("drill-a", "drill-3")).isEmpty();
    assertThat(stack.supervisor().starts(FlinkService.NAME)).as("starts of Flink").isEqualTo(1);
    assertThat(stack.state().logs().resolve("flink.log"))
        .content()
        .contains("documents of")
        .doesNotContain("Name collision");
  }

  @Test
  void whatIsSilencedPagesWhenTheSilenceIsRemoved() throws Exception {
    Ended silenced =
        RulesCommand.of(
            stack, "silence", "--device=planned-*", "--for=2h", "--why=ticket 4711", "--name=work");
    assertThat(silenced.exitCode()).as(silenced.output()).isZero();
    assertThat(silenced.output()).contains("tocsin-rules silence remove work");
    assertThat(RulesCommand.of(stack, "silence", "list").output())
        .contains("work", "left", "planned-*", "ticket 4711");
    assertThat(
            RulesCommand.of(
                    stack, "silence", "--device=x", "--for=2h", "--why=again", "--name=work")
                .exitCode())
        .as("a second one of the name")
        .isEqualTo(1);

    awaitSilencedAlertOf("planned-1");
    assertThat(causeOf("device = 'planned-1'")).hasToString("[[\"maintenance:work\"]]");
    assertThat(RulesCommand.of(stack, "silence", "show", "work").output())
        .contains("once: on, ", "1 open alerts:", "major  planned-1  planned  down");
    assertThat(
            RulesCommand.of(
                    stack,
                    "silence",
                    "--check=planned",
                    "--for=2h",
                    "--why=patches",
                    "--repeats=FREQ=DAILY",
                    "--dry-run")
                .output())
        .contains("FREQ=DAILY: on, ", "and so on", "1 open alerts:");

    assertThat(RulesCommand.of(stack, "silence", "remove", "work").exitCode()).isZero();
    await("the alert that is still open")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(causeOf("device = 'planned-1' AND state = 'open'"))
                    .hasToString("[[\"\"]]"));
    assertThat(RulesCommand.of(stack, "silence", "list", "--all").output())
        .contains("nothing is silenced");
  }

  @Test
  void walksOfTheReadmeDoWhatTheySay() throws Exception {
    Path repository = Tools.find().repository();
    Files.createSymbolicLink(folder.resolve("deploy"), repository.resolve("deploy"));
    String walks = Files.readString(repository.resolve("deploy/rules/README.md"));
    String output = "";
    Matcher commands = Pattern.compile("(?ms)^```sh\n(.*?)^```$").matcher(walks);
    while (commands.find()) {
      Ended ended = Ended.of(shell(repository, commands.group(1)));
      assertThat(ended.exitCode()).as("%s%s", commands.group(1), ended.output()).isZero();
      output += ended.output();
    }

    assertThat(output)
        .contains("line 1: raise link minor", "line 2: raise link major")
        .contains("  link  (my-rules/uplinks.yaml:1 sets severity of deploy/rules/link.yaml:1)")
        .contains("ok: 2 examples", "added    cabinet-door")
        .contains(" with the changed rules, of ", "Not known:")
        .contains("fibre covers {device=", "removed  fibre");
    await("an uplink that is major")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              send(
                  "acc-17",
                  "%LINK-3-UPDOWN: Interface TenGigabitEthernet1/1/1, changed state to down");
              assertThat(rows("SELECT severity FROM tocsin.alerts WHERE device = 'acc-17'"))
                  .hasToString("[[\"major\"]]");
            });
  }

  /** As a person has it, who stands in the checkout with the commands on the path. */
  private ProcessBuilder shell(Path repository, String commands) {
    ProcessBuilder shell =
        new ProcessBuilder("bash", "-euo", "pipefail", "-c", commands)
            .directory(folder.toFile())
            .redirectErrorStream(true);
    shell
        .environment()
        .put("PATH", repository.resolve("deploy/embedded/bin") + ":" + System.getenv("PATH"));
    shell.environment().put("TOCSIN_KAFKA", stack.kafkaBootstrapServers());
    shell.environment().put("TOCSIN_CLICKHOUSE", stack.clickHouseUrl());
    return shell;
  }

  /** How soon a silence is in force is not promised: one that is open already is covered too. */
  private static void awaitSilencedAlertOf(String device) {
    await("an alert that is silenced")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              sendUpdateOf(device);
              assertThat(causeOf("device = '%s' AND state = 'suppressed'".formatted(device)))
                  .hasSize(1);
            });
  }

  private static JsonNode causeOf(String alert) {
    return rows("SELECT cause FROM tocsin.alerts WHERE check = 'planned' AND " + alert);
  }

  /**
   * Sends the line until its alert is there: how soon a pushed rule is in force is not promised.
   */
  private void awaitAlertOf(String rule, String device, String line) {
    await("alert of " + rule + " about " + device)
        .atMost(DEADLINE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              send(device, line);
              assertThat(alerts(rule, device)).hasSize(1);
            });
  }

  private static JsonNode alerts(String rule, String device) {
    return rows(
        "SELECT state FROM tocsin.alerts WHERE source = '%s' AND device = '%s'"
            .formatted(rule, device));
  }

  private static JsonNode rows(String sql) {
    return stack.clickHouse().rows(sql);
  }

  private static void send(String device, String line) throws IOException {
    Datagram.send("<187>Nov 20 11:59:59 %s %s".formatted(device, line), stack.ports().syslog());
  }

  private static void sendUpdateOf(String device) throws IOException {
    String update =
        """
        {"action": "update", "source": "drill", "device": "%s", "check": "planned", "severity": "major", "summary": "down"}"""
            .formatted(device);
    Datagram.send(update, stack.ports().alertUpdates());
  }

  private int push(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("push", folder.toString()));
    command.addAll(List.of(options));
    return RulesCommand.of(stack, command.toArray(String[]::new)).exitCode();
  }

  private static String rule(String name, String word) {
    return """
        kind: rule
        name: %s
        fingerprint: [device]
        summary: "{device}: a %s is stuck"
        clauses: [{ signal: raise, syslog: { app_name: plant, pattern: '%s \\d+ stuck' } }]
        """
        .formatted(name, word, word);
  }
}
