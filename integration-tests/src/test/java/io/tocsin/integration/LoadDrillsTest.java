package io.tocsin.integration;

import static io.tocsin.integration.LoadDrill.secondsSince;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.kafka.KafkaService;
import io.tocsin.integration.LoadDrill.Struck;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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
  private static final int MESSAGES_PER_SECOND = Settings.number("TOCSIN_DRILL_RATE", 1_000);
  private static final int SECONDS = Settings.number("TOCSIN_DRILL_SECONDS", 5);
  private static final int AWAY_SECONDS = Settings.number("TOCSIN_DRILL_AWAY_SECONDS", 60);
  private static final Duration DEADLINE =
      TestStacks.DEADLINE.plusSeconds(10L * SECONDS + AWAY_SECONDS);

  /** Of alerts that stay open, which the traffic raises within two of its slices. */
  private static final int PAGES = 20;

  private static Stack stack;
  private static Installation on;

  @TempDir private Path folder;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.create("load-drills");
    on = Installation.of("load-drills", stack);
    stack.start();
    on.say(
        "%,d messages a second for %d s a drill, %d cores"
            .formatted(MESSAGES_PER_SECOND, SECONDS, Runtime.getRuntime().availableProcessors()));
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
    drill().run("flink", 1, LoadDrillsTest::killFlinkDuringAnInsert);
  }

  /** One sleep may last 3 s, hence three: a busy machine needs seconds to see and to kill. */
  private static Struck killFlinkDuringAnInsert() {
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
      return Struck.now();
    } finally {
      sql("DROP VIEW tocsin.drill_slow_from_syslog");
      sql("DROP TABLE tocsin.drill_slow");
    }
  }

  /** One that began before the view was made does not sleep: the caller says how old it may be. */
  private static long insertsUnderWay(String condition) {
    return on.number(
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
    drill()
        .run(
            "clickhouse",
            2,
            () -> {
              Signal.send("STOP", stack.supervisor().pid(ClickHouseService.NAME));
              new FlinkCheckpoints(stack.ports().flink(), "tocsin-archive")
                  .awaitStandstill(DEADLINE);
              stack.supervisor().kill(ClickHouseService.NAME);
              return Struck.now();
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
    drill()
        .run(
            "outage",
            4,
            () -> {
              Signal.send("STOP", stack.supervisor().pid(ClickHouseService.NAME));
              Instant away = Instant.now();
              long pages = alertsAtThePager("outage-");
              await("pages while ClickHouse is away")
                  .atMost(DEADLINE)
                  .until(() -> alertsAtThePager("outage-") >= pages + PAGES);
              on.say("outage: %d pages after %.1f s".formatted(PAGES, secondsSince(away)));
              drill().awaitTime(away.plusSeconds(AWAY_SECONDS));
              stack.supervisor().kill(ClickHouseService.NAME);
              return Struck.now();
            });
    assertThat(archive.restored())
        .as("how often the archive began again at a checkpoint")
        .isEqualTo(restoredBefore);
    assertThat(on.number("SELECT count() FROM tocsin.quarantined_blocks")).as("refused").isZero();
  }

  private static long alertsAtThePager(String devicePrefix) throws Exception {
    return StreamSupport.stream(on.activeAlerts("").spliterator(), false)
        .filter(alert -> alert.path("labels").path("device").asText().startsWith(devicePrefix))
        .count();
  }

  @Test
  void theBrokerKilledAndStartedAgain() throws Exception {
    drill()
        .run(
            "broker",
            3,
            () -> {
              stack.supervisor().kill(KafkaService.NAME);
              return Struck.now();
            });
  }

  private LoadDrill drill() {
    return new LoadDrill(on, MESSAGES_PER_SECOND, SECONDS, DEADLINE, folder);
  }

  private static void sql(String statement) {
    stack.clickHouse().execute(statement);
  }
}
