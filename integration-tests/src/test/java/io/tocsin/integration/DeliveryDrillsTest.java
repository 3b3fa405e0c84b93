package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.events.v1.Event;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What was acknowledged is stored exactly once: with a sender that is not ours, and over kill -9.
 */
class DeliveryDrillsTest {
  private static final int MESSAGES = 1_000;
  private static final int DATAGRAMS_PER_SECOND = 400;
  private static final int BURST = 500;

  /** Topic of the agent's records to the table that must hold each of them once. */
  private static final Map<String, String> TABLES =
      Map.of(
          "events-syslog-v1", "tocsin.syslog",
          "events-alert-v1", "tocsin.alert_updates",
          "agent-stats-v1", "tocsin.agent_stats",
          "rejects-v1", "tocsin.rejects");

  private static Stack stack;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("drills");
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "udp-5424, --udp, --rfc5424",
    "tcp-5424, --tcp --octet-count, --rfc5424",
    "udp-3164, --udp, --rfc3164",
    "tcp-3164, --tcp, --rfc3164",
  })
  void everyMessageOfLoggerIsOneRowWithDeviceSeverityProgramAndTime(
      String name, String transport, String format) throws Exception {
    List<String> lines =
        IntStream.rangeClosed(1, MESSAGES).mapToObj("drill number %04d"::formatted).toList();
    String tag = "drill-" + name;
    Instant before = Instant.now();

    Logger.send(
        stack.ports().syslog(),
        lines,
        (transport + " " + format + " --priority local3.warning --tag " + tag).split(" "));

    String from = " FROM tocsin.syslog WHERE app_name = '" + tag + "'";
    await(MESSAGES + " rows of " + tag)
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(number("SELECT count()" + from)).isEqualTo(MESSAGES));
    assertThat(column("SELECT message" + from + " ORDER BY message"))
        .containsExactlyElementsOf(lines);
    assertThat(
            rows("SELECT DISTINCT device, toString(facility), toString(severity), listener" + from))
        .hasToString(
            "[[\"%s\",\"local3\",\"warning\",\"syslog-%s\"]]"
                .formatted(hostName(format), name.substring(0, 3)));
    // RFC 3164 has whole seconds.
    assertThat(
            number(
                "SELECT countIf(event_time BETWEEN fromUnixTimestamp64Milli(toInt64(%d)) AND received_at)"
                        .formatted(before.getEpochSecond() * 1_000)
                    + from))
        .as("messages whose time lies between the sending and the arrival")
        .isEqualTo(MESSAGES);
  }

  @Test
  void whatKafkaAcknowledgedIsStoredOnceWhenTheAgentAndThenFlinkAreKilled() throws Exception {
    String drill = " FROM tocsin.syslog WHERE app_name = 'drill'";
    int sent;
    try (NumberedTraffic traffic =
        new NumberedTraffic(
            stack.ports().syslog(), stack.ports().alertUpdates(), DATAGRAMS_PER_SECOND)) {
      awaitRows("traffic of the first agent", drill, 2 * DATAGRAMS_PER_SECOND);
      long firstBoot = number("SELECT max(boot_id)" + drill);

      stack.supervisor().kill(AgentService.NAME);
      awaitRows(
          "traffic of the agent that was started again",
          drill + " AND boot_id > " + firstBoot,
          2 * DATAGRAMS_PER_SECOND);

      stack.supervisor().kill(FlinkService.NAME);
      Instant killed = Instant.now();
      awaitRows(
          "rows that arrived after Flink was killed",
          drill
              + " AND received_at > fromUnixTimestamp64Milli(toInt64("
              + killed.toEpochMilli()
              + "))",
          2 * DATAGRAMS_PER_SECOND);
      sent = traffic.end();
    }
    assertThat(stack.supervisor().starts(AgentService.NAME)).as("starts of the agent").isEqualTo(2);
    assertThat(stack.supervisor().starts(FlinkService.NAME)).as("starts of Flink").isEqualTo(2);

    Topics topics = new Topics(stack.kafkaBootstrapServers());
    for (Map.Entry<String, String> entry : TABLES.entrySet()) {
      assertStoredOnce(topics, entry.getKey(), entry.getValue());
    }
    assertThat(number("SELECT count()" + drill)).isBetween(6L * DATAGRAMS_PER_SECOND, (long) sent);
    assertThat(
            rows(
                "SELECT fingerprint, version, count() FROM tocsin.alert_history FINAL GROUP BY 1, 2 HAVING count() > 1"))
        .as("transitions stored more than once")
        .isEmpty();
  }

  /** The agent is stopped in the meantime: only what the buffer holds can be read. */
  @Test
  void whatTheKernelDroppedFromTheSmallestBufferIsCountedToTheLastDatagram() throws Exception {
    JsonNode smallest =
        new ObjectMapper()
            .readTree("{\"listeners\": [{\"name\": \"alert-udp\", \"receive_buffer\": 2304}]}");
    stack.restartAgent(smallest);
    try {
      Signal.send("STOP", stack.supervisor().pid(AgentService.NAME));
      try {
        sendAlertUpdates(BURST);
      } finally {
        Signal.send("CONT", stack.supervisor().pid(AgentService.NAME));
      }
      String counters =
          "SELECT max(received) + max(kernel_dropped), max(kernel_dropped) > %d FROM tocsin.agent_stats"
                  .formatted(BURST * 9 / 10)
              + " WHERE listener = 'alert-udp'"
              + " AND boot_id = (SELECT max(boot_id) FROM tocsin.agent_stats)";
      await("the burst on the balance sheet")
          .atMost(DEADLINE)
          .untilAsserted(
              () -> {
                assertThat(rows(counters)).hasToString("[[" + BURST + ",1]]");
                assertThat(rows("SELECT count() > 0, countIf(NOT closed) FROM tocsin.balance"))
                    .hasToString("[[1,0]]");
              });
    } finally {
      stack.restartAgent(JsonNodeFactory.instance.objectNode());
    }
  }

  private static void sendAlertUpdates(int count) throws Exception {
    InetSocketAddress target =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), stack.ports().alertUpdates());
    try (DatagramSocket socket = new DatagramSocket()) {
      for (int number = 1; number <= count; number++) {
        byte[] update =
            """
            {"action":"delete","source":"drill-buffer","device":"n%04d","check":"c","severity":"minor","summary":"s"}"""
                .formatted(number)
                .getBytes(StandardCharsets.UTF_8);
        socket.send(new DatagramPacket(update, update.length, target));
      }
    }
  }

  /** Compares ids, not counts: a loss and a duplicate must not hide each other. */
  private static void assertStoredOnce(Topics topics, String topic, String table) {
    Set<String> acknowledged = ids(topics, topic);
    await(topic + " in " + table)
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(column("SELECT event_id FROM " + table))
                    .as("event ids in %s", table)
                    .containsAll(acknowledged));
    List<String> stored = column("SELECT event_id FROM " + table);
    assertThat(stored).as("event ids in %s", table).doesNotHaveDuplicates();
    assertThat(ids(topics, topic)).as("event ids in %s", topic).containsAll(stored);
    System.out.printf(
        "[drills] %s: %d acknowledged, each stored once%n", topic, acknowledged.size());
  }

  private static Set<String> ids(Topics topics, String topic) {
    return topics.read(topic).stream().map(Event::getEventId).collect(toSet());
  }

  private static void awaitRows(String what, String from, long count) {
    await(what)
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(number("SELECT count()" + from)).as(what).isGreaterThanOrEqualTo(count));
  }

  /** The name that logger sends: RFC 3164 has no domain in it. */
  private static String hostName(String format) throws Exception {
    String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    return format.equals("--rfc3164") ? name.split("\\.")[0] : name;
  }

  private static JsonNode rows(String sql) {
    return stack.clickHouse().rows(sql);
  }

  private static long number(String sql) {
    return stack.clickHouse().number(sql);
  }

  private static List<String> column(String sql) {
    return StreamSupport.stream(rows(sql).spliterator(), false)
        .map(row -> row.path(0).asText())
        .toList();
  }
}
