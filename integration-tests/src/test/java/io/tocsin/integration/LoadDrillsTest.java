package io.tocsin.integration;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.clickhouse.ClickHouseException;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.kafka.KafkaService;
import io.tocsin.events.v1.Event.BodyCase;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes of a fault while every job has much to do: what Kafka holds is what ClickHouse holds,
 * byte for byte and once, and every alert and lease ends where it must.
 *
 * <p>{@code make drills} runs the same at 20,000 messages a second: {@code TOCSIN_DRILL_RATE} is
 * messages a second, {@code TOCSIN_DRILL_SECONDS} the least time that the traffic of each fault
 * lasts, {@code TOCSIN_DRILL_AWAY_SECONDS} how long ClickHouse is away. Each fault waits for the
 * moment that is meant; none counts on luck.
 */
class LoadDrillsTest {
  private static final int MESSAGES_PER_SECOND = setting("TOCSIN_DRILL_RATE", 1_000);
  private static final int SECONDS = setting("TOCSIN_DRILL_SECONDS", 5);
  private static final int AWAY_SECONDS = setting("TOCSIN_DRILL_AWAY_SECONDS", 60);
  private static final Duration DEADLINE =
      TestStacks.DEADLINE.plusSeconds(10L * SECONDS + AWAY_SECONDS);

  /** Of alerts that stay open, which the traffic raises within two of its slices. */
  private static final int PAGES = 20;

  private static final List<String> TOPICS =
      List.of(
          "events-syslog-v1", "events-alert-v1", "events-dhcp-v1", "agent-stats-v1", "rejects-v1");

  private static Stack stack;

  @TempDir private Path folder;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("load-drills");
    stack.start();
    System.out.printf(
        "[load-drills] %,d messages a second for %d s a drill, %d cores%n",
        MESSAGES_PER_SECOND, SECONDS, Runtime.getRuntime().availableProcessors());
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  /** A view that sleeps makes an insert last, and the server says that it is inserting. */
  @Test
  void flinkKilledDuringACommit() throws Exception {
    drill("flink", 1, FlinkService.NAME, LoadDrillsTest::killFlinkDuringAnInsert);
  }

  /** One sleep may last 3 s, hence three: a busy machine needs seconds to see and to kill. */
  private static void killFlinkDuringAnInsert() {
    sql("CREATE TABLE tocsin.drill_slow (slept UInt8) ENGINE = Null");
    sql(
        "CREATE MATERIALIZED VIEW tocsin.drill_slow_from_syslog TO tocsin.drill_slow"
            + " AS SELECT toUInt8(sleep(3) + sleep(2.9) + sleep(2.8)) AS slept FROM tocsin.syslog");
    Instant made = Instant.now();
    try {
      await("an insert that lasts")
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .until(
              () ->
                  insertsUnderWay("elapsed BETWEEN 0.5 AND " + Math.min(3, secondsSince(made)))
                      > 0);
      stack.supervisor().kill(FlinkService.NAME);
      assertThat(insertsUnderWay("1")).as("inserts under way when Flink was gone").isPositive();
    } finally {
      sql("DROP VIEW tocsin.drill_slow_from_syslog");
      sql("DROP TABLE tocsin.drill_slow");
    }
  }

  /** One that began before the view was made does not sleep: the caller says how old it may be. */
  private static long insertsUnderWay(String condition) {
    return number(
        "SELECT count() FROM system.processes"
            + " WHERE query_kind = 'Insert' AND query LIKE '%syslog%' AND "
            + condition);
  }

  /**
   * ClickHouse is stopped first. The archive job completes at most one more checkpoint and then
   * stands in its commit; only then ClickHouse is killed, with the insert unread in its socket.
   */
  @Test
  void clickHouseKilledBetweenACheckpointAndItsCommit() throws Exception {
    drill(
        "clickhouse",
        2,
        ClickHouseService.NAME,
        () -> {
          Signal.send("STOP", stack.supervisor().pid(ClickHouseService.NAME));
          new FlinkCheckpoints(stack.ports().flink(), "tocsin-archive").awaitStandstill(DEADLINE);
          stack.supervisor().kill(ClickHouseService.NAME);
        });
  }

  /**
   * Stopped it answers nobody, and its socket stays; then it is killed, and is back with what it
   * had.
   */
  @Test
  void clickHouseAwayWhilePagesGoOnAndTheArchiveWaitsWithoutReadingAgain() throws Exception {
    FlinkCheckpoints archive = new FlinkCheckpoints(stack.ports().flink(), "tocsin-archive");
    long restoredBefore = archive.restored();
    drill(
        "outage",
        4,
        ClickHouseService.NAME,
        () -> {
          Signal.send("STOP", stack.supervisor().pid(ClickHouseService.NAME));
          Instant away = Instant.now();
          long pages = alertsAtThePager("outage-");
          await("pages while ClickHouse is away")
              .atMost(DEADLINE)
              .until(() -> alertsAtThePager("outage-") >= pages + PAGES);
          say("outage", "%d pages after %.1f s".formatted(PAGES, secondsSince(away)));
          awaitTime(away.plusSeconds(AWAY_SECONDS));
          stack.supervisor().kill(ClickHouseService.NAME);
        });
    assertThat(archive.restored())
        .as("how often the archive began again at a checkpoint")
        .isEqualTo(restoredBefore);
    assertThat(number("SELECT count() FROM tocsin.quarantined_blocks")).as("refused").isZero();
  }

  private static long alertsAtThePager(String devicePrefix) throws Exception {
    return StreamSupport.stream(Http.json(activeAlerts()).spliterator(), false)
        .filter(alert -> alert.path("labels").path("device").asText().startsWith(devicePrefix))
        .count();
  }

  private static URI activeAlerts() {
    return URI.create("http://127.0.0.1:" + stack.ports().alertmanager() + "/api/v2/alerts");
  }

  @Test
  void theBrokerKilledAndStartedAgain() throws Exception {
    drill("broker", 3, KafkaService.NAME, () -> stack.supervisor().kill(KafkaService.NAME));
  }

  /** Brings about a fault. */
  private interface Fault {
    void strike() throws Exception;
  }

  private void drill(String name, int number, String killed, Fault fault) throws Exception {
    int offset = stack.ports().offset();
    Path tocsin = TestStacks.tools().tocsin();
    try (LoadTraffic traffic =
        new LoadTraffic(name, number, MESSAGES_PER_SECOND, tocsin, offset, folder)) {
      Map<String, Long> sentBefore = sentByListener();
      int startsBefore = stack.supervisor().starts(killed);
      Instant begun = Instant.now();
      traffic.start();
      awaitStoredSince("tocsin.syslog", begun, MESSAGES_PER_SECOND);
      say(name, "the fault; load average " + Machine.loadAverage());
      fault.strike();
      Instant struck = Instant.now();
      await(killed + " is started again")
          .atMost(DEADLINE)
          .until(() -> stack.supervisor().starts(killed) > startsBefore);
      awaitStoredSince("tocsin.syslog", struck, MESSAGES_PER_SECOND);
      say(
          name,
          "a second of what came after it is stored after %.1f s".formatted(secondsSince(struck)));
      awaitTime(begun.plusSeconds(SECONDS));
      traffic.end();
      Instant sent = Instant.now();
      awaitClosedBalance();
      say(name, "balance closed %.1f s after the last message".formatted(secondsSince(sent)));
      awaitContents(name, sent);
      assertSent(name, traffic, sentBefore);
      awaitAlerts(traffic);
      assertTransitions(name, traffic);
      assertLeases(traffic);
      awaitPager(name, traffic);
    }
  }

  private static void awaitTime(Instant time) {
    await("the end of the traffic")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(500))
        .until(() -> Instant.now().isAfter(time));
  }

  private static void awaitStoredSince(String table, Instant since, long rows) {
    String sql = "SELECT count() FROM %s WHERE received_at > %s".formatted(table, timestamp(since));
    await(rows + " rows of " + table)
        .atMost(DEADLINE)
        .conditionEvaluationListener(new Progress("load-drills"))
        .pollInterval(Duration.ofMillis(200))
        // While it is away.
        .ignoreException(ClickHouseException.class)
        .until(() -> number(sql) >= rows);
  }

  private static String timestamp(Instant time) {
    return "fromUnixTimestamp64Micro(toInt64(%d))"
        .formatted(ChronoUnit.MICROS.between(Instant.EPOCH, time));
  }

  /** Of each listener of the agent: what was sent to it, dropped by the kernel or received. */
  private static Map<String, Long> sentByListener() {
    return rows("SELECT listener, toInt64(sum(sent)) FROM tocsin.balance GROUP BY listener")
        .collect(toMap(row -> row.path(0).asText(), row -> row.path(1).asLong()));
  }

  private static void assertSent(String name, LoadTraffic traffic, Map<String, Long> before) {
    Map<String, Long> now = sentByListener();
    traffic
        .sent()
        .forEach(
            (listener, count) ->
                assertThat(now.get(listener) - before.getOrDefault(listener, 0L))
                    .as("what %s was sent, by its own count", listener)
                    .isEqualTo(count));
    say(
        name,
        "sent %s, of these dropped by the kernel so far: %d"
            .formatted(
                traffic.sent(), number("SELECT toInt64(sum(kernel_dropped)) FROM tocsin.balance")));
  }

  private static void awaitClosedBalance() throws Exception {
    Ended balance =
        Ended.of(
            new ProcessBuilder(
                TestStacks.tools().tocsin().toString(),
                "balance",
                "--clickhouse=" + stack.clickHouseUrl(),
                "--wait=" + DEADLINE.toSeconds()));
    assertThat(balance.exitCode()).as(balance.output()).isZero();
  }

  /** A finding of a job may come after the messages that it is about: then it is read again. */
  private static void awaitContents(String name, Instant until) {
    Topics topics = new Topics(stack.kafkaBootstrapServers());
    await("what Kafka holds is what ClickHouse holds")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                Content.ofTopics(topics, TOPICS, until)
                    .forEach(
                        (kind, inKafka) -> {
                          Content stored = Content.ofTable(stack.clickHouse(), kind, until);
                          assertThat(stored).as("%s", kind).isEqualTo(inKafka);
                          // Findings of jobs reach the topic at least once, with the same id.
                          if (kind != BodyCase.ALERT_UPDATE) {
                            assertThat(stored.distinctIds())
                                .as("%s", kind)
                                .isEqualTo(stored.rows());
                          }
                          say(name, "%s: %s, the same in Kafka".formatted(kind, stored));
                        }));
  }

  /** None is missing, and none is open that should have closed. */
  private static void awaitAlerts(LoadTraffic traffic) {
    String sql =
        "SELECT device, toString(state) FROM tocsin.alerts WHERE startsWith(device, '%s')"
            .formatted(traffic.devicePrefix());
    await("the alerts' states")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        rows(sql)
                            .collect(
                                toMap(row -> row.path(0).asText(), row -> row.path(1).asText())))
                    .isEqualTo(traffic.alerts()));
  }

  /**
   * Each once in the table when it is merged, and the same in the topic, where repeats are allowed.
   */
  private static void assertTransitions(String name, LoadTraffic traffic) {
    Set<String> published = new TreeSet<>();
    new Topics(stack.kafkaBootstrapServers())
        .forEach(
            "alerts-v1",
            Alert.parser(),
            alert -> {
              if (alert.getDevice().startsWith(traffic.devicePrefix())) {
                published.add(alert.getFingerprint() + " " + alert.getVersion());
              }
            });
    assertThat(
            rows(
                "SELECT concat(fingerprint, ' ', toString(version)) FROM tocsin.alert_history FINAL WHERE startsWith(device, '%s')"
                    .formatted(traffic.devicePrefix())))
        .extracting(row -> row.path(0).asText())
        .as("transitions")
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(published);
    say(name, "%d transitions of %d alerts".formatted(published.size(), traffic.alerts().size()));
  }

  private static void assertLeases(LoadTraffic traffic) {
    String clients = " WHERE startsWith(mac, '%s')".formatted(traffic.clientPrefix());
    await("leases")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        number(
                            "SELECT countIf(state = 'bound') FROM tocsin.registrations" + clients))
                    .isEqualTo(traffic.clients()));
    assertThat(
            number(
                "SELECT count() - uniqExact(mac, version) FROM tocsin.registration_history FINAL"
                    + clients))
        .as("transitions of registrations stored more than once")
        .isZero();
  }

  /** Alertmanager knows of what is still open, and of nothing else. */
  private static void awaitPager(String name, LoadTraffic traffic) {
    Set<String> open =
        traffic.alerts().entrySet().stream()
            .filter(alert -> alert.getValue().equals("open"))
            .map(Map.Entry::getKey)
            .collect(toSet());
    await("Alertmanager's active alerts")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(Http.json(activeAlerts()))
                    .extracting(alert -> alert.path("labels").path("device").asText())
                    .filteredOn(device -> device.startsWith(traffic.devicePrefix()))
                    .containsExactlyInAnyOrderElementsOf(open));
    say(name, "%d alerts open, at the pager too".formatted(open.size()));
  }

  private static Stream<JsonNode> rows(String sql) {
    return StreamSupport.stream(stack.clickHouse().rows(sql).spliterator(), false);
  }

  private static long number(String sql) {
    return stack.clickHouse().rows(sql).path(0).path(0).asLong();
  }

  private static void sql(String statement) {
    stack.clickHouse().execute(statement);
  }

  private static double secondsSince(Instant time) {
    return Duration.between(time, Instant.now()).toMillis() / 1e3;
  }

  private static int setting(String variable, int usual) {
    String value = System.getenv(variable);
    return value == null || value.isEmpty() ? usual : Integer.parseInt(value);
  }

  private static void say(String drill, String what) {
    System.out.println("[load-drills] " + drill + ": " + what);
  }
}
