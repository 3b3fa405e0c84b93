package io.tocsin.integration;

import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every scenario on a cluster of processes, with {@code TOCSIN_CLUSTER_PARALLELISM} instances of
 * each operator, nearly all at the same time. Part of {@code make drills CLUSTER=1}.
 */
class ScenariosOnClusterTest {
  private static final int PARALLELISM = Settings.number("TOCSIN_CLUSTER_PARALLELISM", 2);

  private static ClusterStack cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = new ClusterStack("cluster-scenarios", PARALLELISM);
    cluster.start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @TestFactory
  List<DynamicTest> scenarios() {
    Consumer<String> progress = System.out::println;
    Installation on = cluster.installation();
    TrafficSender sender =
        TrafficSender.local(TestStacks.tools().tocsin(), on.ports(), cluster.state(), progress);
    return ScenarioTests.playedTogetherBy(
        new ScenarioRunner(on.clickHouse(), sender, cluster, cluster, progress));
  }
}
