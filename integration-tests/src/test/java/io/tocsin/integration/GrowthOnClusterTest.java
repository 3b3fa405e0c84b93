package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.integration.LoadDrill.Struck;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Topics get more partitions, and all jobs are stopped with a savepoint under traffic and go on
 * from it with other numbers of instances, as deploy/README.md tells ("Growing"): nothing is lost,
 * nothing counts twice, and the same traffic ends in the same alerts and leases as where nobody
 * touched anything. Part of {@code make drills CLUSTER=1}.
 */
class GrowthOnClusterTest {
  private static final int MESSAGES_PER_SECOND = Settings.number("TOCSIN_DRILL_RATE", 500);
  private static final int SECONDS = Settings.number("TOCSIN_DRILL_SECONDS", 5);

  /** A machine with much else to do has minutes for what takes seconds. */
  private static final Duration DEADLINE = Duration.ofMinutes(10).plusSeconds(10L * SECONDS);

  private static final int AT_FIRST = 2;
  private static final int[] THEN = {4, 3};
  private static final int PARTITIONS_AT_FIRST = 4;
  private static final int PARTITIONS_THEN = 12;
  private static final List<String> GROWN =
      List.of("events-syslog-v1", "events-alert-v1", "events-dhcp-v1");

  private static ClusterStack cluster;

  @TempDir private Path folder;

  @BeforeAll
  static void startCluster() throws Exception {
    // Slots for as many as there will be.
    cluster = new ClusterStack("cluster-growth", AT_FIRST, THEN[0]);
    cluster.start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void morePartitionsAndMoreAndFewerInstancesEndInWhatAnUndisturbedRunEndsIn() throws Exception {
    LoadDrill drill =
        new LoadDrill(cluster.installation(), MESSAGES_PER_SECOND, SECONDS, DEADLINE, folder);
    drill.run("calm", 1, Struck::now);
    cluster.growTopics(GROWN, PARTITIONS_THEN);
    drill.run("grown", 2, GrowthOnClusterTest::grow);
    assertTopicsHaveGrown();
    LastWords.assertSame(cluster.installation(), "calm", 1, "grown", 2);
  }

  private static void assertTopicsHaveGrown() {
    Topics topics = new Topics(cluster.installation().kafkaBootstrapServers());
    for (String topic : GROWN) {
      Map<Integer, Long> ends = topics.ends(topic);
      assertThat(ends).as(topic).hasSize(PARTITIONS_THEN);
      long inNew =
          ends.entrySet().stream()
              .filter(end -> end.getKey() >= PARTITIONS_AT_FIRST)
              .mapToLong(Map.Entry::getValue)
              .sum();
      assertThat(inNew).as("records in the new partitions of %s", topic).isPositive();
      cluster
          .installation()
          .say("%s has %d partitions, %d records in new ones".formatted(topic, ends.size(), inNew));
    }
  }

  private static Struck grow() throws Exception {
    Instant begun = Instant.now();
    for (int instances : THEN) {
      Instant stopped = Instant.now();
      Map<String, String> savepoints = cluster.jobs().stopAll();
      for (Map.Entry<String, String> job : savepoints.entrySet()) {
        cluster.jobs().submit(job.getKey(), instances, Optional.of(job.getValue()));
      }
      cluster.awaitJobs();
      cluster
          .installation()
          .say(
              "%d jobs go on from savepoints with %d instances after %.1f s, load average %s"
                  .formatted(
                      savepoints.size(),
                      instances,
                      LoadDrill.secondsSince(stopped),
                      Machine.loadAverage()));
    }
    return new Struck(begun, Map.of());
  }
}
