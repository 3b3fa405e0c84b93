package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Stack;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dependencies, maintenance windows and expiry, as people push them, down to the page. Each test
 * has a check of its own, which is the name of its group in Alertmanager.
 */
class WhoIsPagedDrillsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(120);

  private static Stack stack;

  @TempDir private Path folder;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("who-is-paged-drills");
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void aDeviceBehindTwoOthersPagesWhenOneOfThemIsUpAgainAndItIsStillDown() throws Exception {
    push(
        """
        kind: dependency
        name: behind-core
        alerts: { source: drill, check: behind }
        upstreams: [{ source: drill, device: core-1 }, { source: drill, device: core-2 }]
        """);
    raise("core-1", "core");
    raise("core-2", "core");
    awaitAlert("core-1", "open", "");
    awaitAlert("core-2", "open", "");
    raise("acc-1", "behind");
    raise("acc-2", "behind");
    awaitAlert("acc-1", "suppressed", "dependency:");
    awaitAlert("acc-2", "suppressed", "dependency:");

    clear("acc-2", "behind");
    awaitAlert("acc-2", "resolved", "");
    clear("core-1", "core");

    awaitAlert("acc-1", "open", "");
    awaitPages("behind", "[[\"firing\",1]]");
  }

  @Test
  void plannedWorkPagesNobodyAndWhatIsStillDownAtItsEndIsPaged() throws Exception {
    push(
        """
        kind: maintenance
        name: work
        starts: 2026-01-01T00:00:00Z
        ends: %s
        alerts: { source: drill, check: planned }
        """
            .formatted(Instant.now().plusSeconds(30).truncatedTo(ChronoUnit.SECONDS)));
    raise("work-1", "planned");
    raise("work-2", "planned");
    awaitAlert("work-1", "suppressed", "maintenance:work");
    awaitAlert("work-2", "suppressed", "maintenance:work");
    clear("work-2", "planned");
    awaitAlert("work-2", "resolved", "");

    awaitAlert("work-1", "open", "");
    awaitPages("planned", "[[\"firing\",1]]");
  }

  @Test
  void anAlertOfARuleExpiresWhenNothingRefreshesIt() throws Exception {
    push(
        """
        kind: rule
        name: drill-expiry
        fingerprint: [device]
        expires: 5s
        summary: "{device}: a gate is stuck"
        clauses: [{ signal: raise, syslog: { app_name: plant, pattern: 'gate \\d+ stuck' } }]
        """);
    await("the rule is in force")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              sendTo(stack.ports().syslog(), "<187>Nov 20 11:59:59 old-1 plant: gate 7 stuck");
              assertThat(historyOf("old-1").toString()).contains("opened");
            });

    awaitAlert("old-1", "expired", "");
  }

  private void push(String document) throws Exception {
    Files.writeString(folder.resolve("drill.yaml"), document);
    assertThat(RulePush.of(stack, folder)).as("exit code of tocsin-rules push").isZero();
  }

  private static void raise(String device, String check) throws IOException {
    update("update", device, check, ",\"severity\":\"major\",\"summary\":\"down\"");
  }

  private static void clear(String device, String check) throws IOException {
    update("delete", device, check, "");
  }

  private static void update(String action, String device, String check, String more)
      throws IOException {
    sendTo(
        stack.ports().alertUpdates(),
        "{\"action\":\"%s\",\"source\":\"drill\",\"device\":\"%s\",\"check\":\"%s\"%s}"
            .formatted(action, device, check, more));
  }

  private static void sendTo(int port, String text) throws IOException {
    byte[] frame = text.getBytes(StandardCharsets.UTF_8);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(frame, frame.length, InetAddress.getLoopbackAddress(), port));
    }
  }

  /** Waits until the alert of a device has a state, and a cause that starts so. */
  private static void awaitAlert(String device, String state, String cause) {
    await(device + " is " + state)
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        rows(
                            "SELECT state, startsWith(cause, '%s') FROM tocsin.alerts WHERE device = '%s'"
                                .formatted(cause, device)))
                    .hasToString("[[\"%s\",1]]".formatted(state)));
  }

  /** Waits for a page about a check, and sees that it is the only one. */
  private static void awaitPages(String check, String statusAndFiring) {
    await("page of " + check)
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        rows(
                            "SELECT status, firing FROM tocsin.pages WHERE group_labels['alertname'] = '%s'"
                                .formatted(check)))
                    .hasToString(statusAndFiring));
  }

  private static JsonNode historyOf(String device) {
    return rows(
        "SELECT transition FROM tocsin.alert_history WHERE device = '%s'".formatted(device));
  }

  private static JsonNode rows(String sql) {
    return stack.clickHouse().rows(sql);
  }
}
