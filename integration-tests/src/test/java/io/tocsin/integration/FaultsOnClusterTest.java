package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.integration.LoadDrill.Struck;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A part of a cluster is killed while every job has much to do and people are to be paged: nothing
 * is lost, nothing counts twice, and how long pages waited is printed.
 *
 * <p>{@code make drills CLUSTER=1} kills one of each, at more messages a second: {@code
 * TOCSIN_CLUSTER_FAULTS} names them, {@code TOCSIN_CLUSTER_PARALLELISM} the instances of each
 * operator, {@code TOCSIN_DRILL_RATE} the messages a second.
 */
class FaultsOnClusterTest {
  private static final int MESSAGES_PER_SECOND = Settings.number("TOCSIN_DRILL_RATE", 500);
  private static final int SECONDS = Settings.number("TOCSIN_DRILL_SECONDS", 5);
  private static final int PARALLELISM = Settings.number("TOCSIN_CLUSTER_PARALLELISM", 2);
  private static final String FAULTS =
      Settings.text("TOCSIN_CLUSTER_FAULTS", "taskmanager jobmanager");

  /** A machine with much else to do has minutes for what takes seconds. */
  private static final Duration DEADLINE = Duration.ofMinutes(10).plusSeconds(10L * SECONDS);

  /** Marks are sent so long before and after the fault. */
  private static final Duration BEFORE = Duration.ofSeconds(3);

  private static final Duration AFTER = Duration.ofSeconds(8);

  private static ClusterStack cluster;
  private static Marks marks;
  private static int drills;

  @TempDir private Path folder;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = new ClusterStack("cluster-drills", PARALLELISM);
    Instant begun = Instant.now();
    cluster.start();
    Installation on = cluster.installation();
    marks = PageWaits.marksFor(on);
    on.say(
        "started in %.1f s; %,d messages a second, %d instances of each operator, %d cores"
            .formatted(
                LoadDrill.secondsSince(begun),
                MESSAGES_PER_SECOND,
                PARALLELISM,
                Runtime.getRuntime().availableProcessors()));
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  static List<String> faults() {
    return Arrays.asList(FAULTS.split(" "));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void nothingIsLostOrTwiceAndPagesGoOn(String fault) throws Exception {
    Installation on = cluster.installation();
    String killed = service(fault);
    int starts = cluster.supervisor().starts(killed);
    drills++;
    new LoadDrill(on, MESSAGES_PER_SECOND, SECONDS, DEADLINE, folder)
        .run(fault + drills, drills, () -> kill(killed));
    cluster.awaitSuccessor(killed, starts);
  }

  private static Struck kill(String service) throws Exception {
    Installation on = cluster.installation();
    try (PageWaits waits = new PageWaits(on, marks)) {
      await("pages before the fault").pollDelay(BEFORE).atMost(DEADLINE).until(waits::hasArrivals);
      Instant struck = Instant.now();
      cluster.supervisor().kill(service);
      on.say(service + " is killed at " + struck + ", load average " + Machine.loadAverage());
      var sent = waits.endAfter(AFTER, DEADLINE);
      on.say(service + ": " + waits.told(struck));
      return new Struck(struck, sent);
    }
  }

  /** The one that matters most. */
  private static String service(String fault) throws Exception {
    return switch (fault) {
      case "taskmanager" -> cluster.taskManagerOf("tocsin-alerts");
      case "jobmanager" -> cluster.leader();
      case "broker" -> KafkaCluster.broker(0);
      case "zookeeper" -> FlinkCluster.ZOOKEEPER;
      case "clickhouse" -> ClickHouseService.NAME;
      default -> throw new IllegalArgumentException("TOCSIN_CLUSTER_FAULTS has " + fault);
    };
  }
}
