package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Where a running Tocsin is asked, be it one process of each part or many.
 *
 * @param name before what is printed of it
 * @param ports of its listeners and interfaces
 * @param kafkaBootstrapServers "host:port", several with commas
 * @param clickHouse for questions
 */
record Installation(
    String name, Ports ports, String kafkaBootstrapServers, ClickHouseClient clickHouse) {

  /** One whose parts have these ports. */
  Installation(String name, Ports ports, String kafkaBootstrapServers) {
    this(name, ports, kafkaBootstrapServers, new ClickHouseClient(clickHouseUrl(ports)));
  }

  /** An embedded stack. */
  static Installation of(String name, Stack stack) {
    return new Installation(name, stack.ports(), stack.kafkaBootstrapServers());
  }

  /** ClickHouse over HTTP. */
  String clickHouseUrl() {
    return clickHouseUrl(ports);
  }

  private static String clickHouseUrl(Ports ports) {
    return "http://127.0.0.1:" + ports.clickHouseHttp();
  }

  /** The rows of an answer. */
  Stream<JsonNode> rows(String sql) {
    return StreamSupport.stream(clickHouse.rows(sql).spliterator(), false);
  }

  /** The only value of an answer. */
  long number(String sql) {
    return clickHouse.number(sql);
  }

  /** Waits until a balance sheet that is newer than the call is closed. */
  void awaitClosedBalance(Duration deadline) throws IOException, InterruptedException {
    Ended balance =
        Ended.of(
            new ProcessBuilder(
                TestStacks.tools().tocsin().toString(),
                "balance",
                "--clickhouse=" + clickHouseUrl(),
                "--wait=" + deadline.toSeconds()));
    assertThat(balance.exitCode()).as(balance.output()).isZero();
  }

  /**
   * What Alertmanager holds for active.
   *
   * @param filter "" for all, else for example {@code ?filter=source="x"}, encoded
   */
  JsonNode activeAlerts(String filter) throws IOException, InterruptedException {
    return Http.json(
        URI.create("http://127.0.0.1:" + ports.alertmanager() + "/api/v2/alerts" + filter));
  }

  /** Marked alerts that Alertmanager holds: each has arrived when it took it. */
  void askForMarks(Latencies pages) throws IOException, InterruptedException {
    for (JsonNode alert : activeAlerts("?filter=source%3D~%22" + Marks.SOURCE + ".*%22")) {
      pages.arrived(
          alert.path("labels").path("device").asText(),
          Instant.parse(alert.path("updatedAt").asText()));
    }
  }

  /** Prints what was found. */
  void say(String what) {
    System.out.printf("[%s] %s%n", name, what);
  }
}
