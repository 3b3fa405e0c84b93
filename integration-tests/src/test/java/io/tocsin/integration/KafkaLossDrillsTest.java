package io.tocsin.integration;

import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.kafka.KafkaService;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link KafkaLoss}, where Flink is one process. */
class KafkaLossDrillsTest {
  private final StateFolder state = TestStacks.emptyState("kafka-loss");
  private final StackOptions options = StackOptions.of(FreePorts.reserve().offset(), state.root());

  private Stack stack;

  @TempDir private Path folder;

  @AfterEach
  void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void alertsAndPagesGoOnWhereTheyStood() throws Exception {
    stack = stack(0);
    stack.start();
    new KafkaLoss(Installation.of("kafka-loss", stack), folder)
        .alertsAndPagesGoOnWhereTheyStood(
            new KafkaLoss.Site() {
              @Override
              public List<String> loseKafka(KafkaLoss loss) {
                stack.close();
                new StateFolder(state.of(KafkaService.NAME)).delete();
                stack = stack(KafkaLoss.LOST_AND_RESTORED_ONCE);
                stack.startStores();
                return List.of();
              }

              @Override
              public void goOn() {
                stack.close();
                stack = stack(KafkaLoss.LOST_AND_RESTORED_ONCE);
                stack.start();
              }
            });
  }

  private Stack stack(int generation) {
    return new Stack(
        options
            .withKafkaGeneration(generation)
            // Alertmanager is started anew too, and knows alerts when they are posted again.
            .withJobOptions(Map.of("paging.resend-interval-seconds", "5")),
        TestStacks.tools(),
        line -> System.out.println("[kafka-loss] " + line));
  }
}
