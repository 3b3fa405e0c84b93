package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.flink.FlinkService;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A job dies and cannot come back, because none of its checkpoints can be read. */
class JobDeathDrillsTest {
  private static final Duration DEADLINE = TestStacks.DEADLINE;

  private static Stack stack;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("job-death");
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void aDeadJobIsToldWhicheverItIsAndTheOthersRunOn() throws Exception {
    DeadJob registrations = DeadJob.kill(stack, "registrations", DEADLINE);
    awaitAlertAbout("tocsin-registrations");
    awaitPage("tocsin-pipeline");
    raise("drill-without-registrations");
    awaitPage("drill-without-registrations");

    DeadJob paging = DeadJob.kill(stack, "paging", DEADLINE);
    awaitAlertAbout("tocsin-paging");
    raise("drill-without-paging");
    await("what the alerts and archive jobs make of an update while nobody pages")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        stack
                            .clickHouse()
                            .rows(
                                "SELECT state FROM tocsin.alerts WHERE source = 'drill-without-paging'"))
                    .hasToString("[[\"open\"]]"));
    assertThat(pagesOf("drill-without-paging")).isZero();

    registrations.repair();
    paging.repair();
    await("the end of both alerts")
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(alertsOfDeadJobs()).isEmpty());
    awaitPage("drill-without-paging");
    assertThat(stack.supervisor().starts(FlinkService.NAME)).as("starts of Flink").isEqualTo(1);
  }

  private static void awaitAlertAbout(String job) {
    await("the alert that " + job + " is down")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(alertsOfDeadJobs())
                    .anySatisfy(
                        alert -> assertThat(alert.at("/labels/device").asText()).isEqualTo(job)));
  }

  /** Those that Alertmanager holds for open. */
  private static JsonNode alertsOfDeadJobs() throws IOException, InterruptedException {
    return Http.json(
        URI.create(
            "http://127.0.0.1:%d/api/v2/alerts?filter=alertname%%3Djob-down"
                .formatted(stack.ports().alertmanager())));
  }

  private static void raise(String source) throws IOException {
    Datagram.send(
        """
        {"action":"update","source":"%s","device":"n1","check":"node","severity":"critical","summary":"node down"}"""
            .formatted(source),
        stack.ports().alertUpdates());
  }

  private static void awaitPage(String source) {
    await("a page of " + source)
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(pagesOf(source)).isPositive());
  }

  private static long pagesOf(String source) {
    return stack
        .clickHouse()
        .rows(
            "SELECT count() FROM tocsin.pages WHERE status = 'firing' AND group_labels['source'] = '%s'"
                .formatted(source))
        .at("/0/0")
        .asLong();
  }
}
