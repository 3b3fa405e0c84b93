package io.tocsin.integration;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link KafkaLoss}, on a cluster: all three brokers at once, while jobs and agent run. What the
 * agent hears meanwhile it spools, and publishes in the end. Part of {@code make drills CLUSTER=1}.
 */
class KafkaLossOnClusterTest {
  private static final int PARALLELISM = Settings.number("TOCSIN_CLUSTER_PARALLELISM", 2);
  private static final String SPOOLED = "while-kafka-is-away";

  private static ClusterStack cluster;

  @TempDir private Path folder;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = new ClusterStack("cluster-kafka-loss", PARALLELISM);
    cluster.start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void alertsAndPagesGoOnWhereTheyStood() throws Exception {
    new KafkaLoss(cluster.installation(), folder)
        .alertsAndPagesGoOnWhereTheyStood(
            new KafkaLoss.Site() {
              @Override
              public List<String> loseKafka(KafkaLoss loss) throws Exception {
                cluster.loseBrokers();
                loss.tell("update", SPOOLED);
                cluster.stopWriters();
                cluster.startBrokers();
                return List.of(SPOOLED);
              }

              @Override
              public void goOn() throws Exception {
                cluster.goOnWithKafka(KafkaLoss.LOST_AND_RESTORED_ONCE);
              }
            });
  }
}
