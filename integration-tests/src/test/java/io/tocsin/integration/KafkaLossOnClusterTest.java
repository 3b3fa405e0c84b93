package io.tocsin.integration;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link KafkaLoss}, on a cluster: all three brokers, while jobs and agent run. What the agent
 * hears meanwhile it spools, and publishes in the end. Part of {@code make drills CLUSTER=1}.
 */
class KafkaLossOnClusterTest {
  private static final int PARALLELISM = Settings.number("TOCSIN_CLUSTER_PARALLELISM", 2);
  private static final String SPOOLED = "while-kafka-is-away";

  @TempDir private Path folder;

  @Test
  void alertsAndPagesGoOnWhereTheyStood() throws Exception {
    try (ClusterStack cluster = new ClusterStack("cluster-kafka-loss", PARALLELISM)) {
      cluster.start();
      new KafkaLoss(cluster.installation(), folder)
          .alertsAndPagesGoOnWhereTheyStood(siteOf(cluster));
    }
  }

  private static KafkaLoss.Site siteOf(ClusterStack cluster) {
    return new KafkaLoss.Site() {
      private Map<String, String> checkpoints;

      @Override
      public List<String> loseKafka(KafkaLoss loss) throws Exception {
        cluster.loseBrokers();
        loss.tell("update", SPOOLED);
        checkpoints = cluster.stopWriters();
        cluster.startBrokers();
        return List.of(SPOOLED);
      }

      @Override
      public void goOn() throws Exception {
        cluster.goOnWithKafka(checkpoints, KafkaLoss.LOST_AND_RESTORED_ONCE);
      }
    };
  }
}
