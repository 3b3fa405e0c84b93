package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Tools;
import io.tocsin.integration.LoadDrill.Struck;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every part is replaced under traffic, one at a time and in the order of deploy/README.md
 * ("Upgrading"): nothing is lost, nothing counts twice, and the same traffic ends in the same
 * alerts and leases as where nobody touched anything. Then the jobs go back to the old jar from the
 * savepoints that were kept. Part of {@code make drills CLUSTER=1}.
 *
 * <p>{@code TOCSIN_BEFORE} names the built checkout of the release before; without it, what runs is
 * replaced by itself. Kafka's, Flink's and ClickHouse's programs are those of this checkout.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class UpgradeOnClusterTest {
  private static final int MESSAGES_PER_SECOND = Settings.number("TOCSIN_DRILL_RATE", 500);
  private static final int SECONDS = Settings.number("TOCSIN_DRILL_SECONDS", 5);
  private static final int PARALLELISM = Settings.number("TOCSIN_CLUSTER_PARALLELISM", 2);

  /** A machine with much else to do has minutes for what takes seconds. */
  private static final Duration DEADLINE = Duration.ofMinutes(10).plusSeconds(10L * SECONDS);

  /** Going back, it would read again and store once more what came since, with the same ids. */
  private static final String ARCHIVE = "tocsin-archive";

  private static final Tools NOW = TestStacks.tools();
  private static final Tools BEFORE =
      new Tools(Path.of(Settings.text("TOCSIN_BEFORE", NOW.repository().toString())));

  private static final Map<String, String> KEPT = new LinkedHashMap<>();
  private static ClusterStack cluster;

  @TempDir private Path folder;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = new ClusterStack("cluster-upgrade", PARALLELISM, BEFORE);
    cluster.start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Order(1)
  void everyPartIsReplacedAndEndsAsWhereNobodyTouchedAnything() throws Exception {
    LoadDrill drill = drill();
    drill.run("calm", 1, Struck::now);
    assertStatusSaysWhatApplyWouldDo();
    drill.run("upgraded", 2, this::upgrade);
    LastWords.assertSame(cluster.installation(), "calm", 1, "upgraded", 2);
    // Step 8, between the drills: what is sent while its sockets are closed is lost.
    cluster.replaceAgent();
  }

  @Test
  @Order(2)
  void jobsGoBackToTheOldJarFromTheSavepointsThatWereKept() throws Exception {
    cluster.release(BEFORE);
    LoadDrill drill = drill();
    drill.run(
        "back",
        3,
        () -> {
          Instant begun = Instant.now();
          for (String job : cluster.jobs().names()) {
            if (!job.equals(ARCHIVE)) {
              cluster.jobs().stop(job);
              submit(job, KEPT.get(job));
            }
          }
          return new Struck(begun, Map.of());
        });
    LastWords.assertSame(cluster.installation(), "calm", 1, "back", 3);
  }

  private LoadDrill drill() {
    return new LoadDrill(cluster.installation(), MESSAGES_PER_SECOND, SECONDS, DEADLINE, folder);
  }

  /** Step 1: of the new version, with the old one running. */
  private static void assertStatusSaysWhatApplyWouldDo() throws Exception {
    Installation on = cluster.installation();
    Ended status =
        Ended.of(
            new ProcessBuilder(
                NOW.tocsin().toString(),
                "schema",
                "status",
                "--kafka=" + on.kafkaBootstrapServers(),
                "--clickhouse=" + on.clickHouseUrl(),
                "--schemas=" + NOW.schemas()));
    // 1 where something is to be done; what is refused is another.
    assertThat(status.exitCode()).as(status.output()).isBetween(0, 1);
    on.say("schema status: " + status.output().lines().reduce((a, b) -> b).orElse(""));
  }

  /** Steps 2 to 7. */
  private Struck upgrade() throws Exception {
    Instant begun = Instant.now();
    step("brokers, one after the other", cluster::replaceBrokers);
    step("ClickHouse", cluster::replaceClickHouse);
    cluster.release(NOW);
    step("tables and topics", () -> cluster.applySchema());
    for (String job : cluster.jobs().names()) {
      step(
          job,
          () -> {
            KEPT.put(job, cluster.jobs().stop(job));
            submit(job, KEPT.get(job));
          });
    }
    step("rules", cluster::pushRules);
    step("page recorder and Alertmanager", cluster::replacePager);
    return new Struck(begun, Map.of());
  }

  private static void submit(String job, String savepoint) throws Exception {
    cluster.jobs().submit(job, PARALLELISM, Optional.of(savepoint));
    cluster.awaitJobs();
  }

  private interface Step {
    void take() throws Exception;
  }

  private static void step(String what, Step step) throws Exception {
    Instant begun = Instant.now();
    step.take();
    cluster.awaitJobs();
    cluster
        .installation()
        .say("%s: %.1f s until all is at work".formatted(what, LoadDrill.secondsSince(begun)));
  }
}
