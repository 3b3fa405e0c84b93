package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.runtime.operators.sink.CommitterOperatorFactory;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hours without ClickHouse, in Flink's own committer operator: the sink waits and does not fail; a
 * job that is killed meanwhile goes on waiting from its checkpoint. All time is virtual.
 */
class ClickHouseAwayTest {
  private static final Duration AWAY = Duration.ofHours(1);
  private static final long ATTEMPT_MILLIS = 5_000;
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** Flink makes operators from serialized factories, so what they share cannot be a field. */
  private static Server server;

  @BeforeEach
  void start() {
    server = new Server();
  }

  @Test
  void whatACheckpointHoldsIsStoredOnceWhenClickHouseIsBack() throws Exception {
    run(
        operator -> {
          operator.open();
          take(operator, "a", "b", "c");
          operator.snapshot(1, 1);
          server.awayUntilMillis = AWAY.toMillis();
          server.storesAndDoesNotAnswer = "a";
          operator.notifyOfCompletedCheckpoint(1);
        });

    assertThat(server.stored).containsExactly("a", "b", "c");
    assertThat(server.sent).startsWith("a", "a").endsWith("a", "b", "c");
    assertThat(server.nowMillis - server.awayUntilMillis)
        .as("milliseconds from ClickHouse's return to the last block")
        .isBetween(0L, LONGEST_PAUSE.toMillis() + 3 * ATTEMPT_MILLIS);
  }

  @Test
  void jobThatIsKilledWhileItWaitsGoesOnFromItsCheckpoint() throws Exception {
    List<OperatorSubtaskState> checkpoint = new ArrayList<>();
    server.awayUntilMillis = AWAY.toMillis();
    server.killsAtMillis = AWAY.toMillis() / 2;
    assertThatThrownBy(
            () ->
                run(
                    operator -> {
                      operator.open();
                      take(operator, "a", "b", "c");
                      checkpoint.add(operator.snapshot(1, 1));
                      operator.notifyOfCompletedCheckpoint(1);
                    }))
        .isInstanceOf(InterruptedException.class);
    server.killsAtMillis = Long.MAX_VALUE;

    run(
        operator -> {
          operator.setRestoredCheckpointId(1);
          operator.initializeState(checkpoint.get(0));
          operator.open();
        });

    assertThat(server.stored).containsExactly("a", "b", "c");
  }

  @FunctionalInterface
  private interface Run {
    void with(
        OneInputStreamOperatorTestHarness<CommittableMessage<Block>, CommittableMessage<Block>>
            operator)
        throws Exception;
  }

  /** One run of the job. */
  private static void run(Run run) throws Exception {
    var operator =
        new OneInputStreamOperatorTestHarness<CommittableMessage<Block>, CommittableMessage<Block>>(
            new CommitterOperatorFactory<>(new SinkWithServer(), false, true));
    try {
      run.with(operator);
    } finally {
      operator.close();
    }
  }

  private static void take(
      OneInputStreamOperatorTestHarness<CommittableMessage<Block>, CommittableMessage<Block>>
          operator,
      String... tokens)
      throws Exception {
    operator.processElement(new CommittableSummary<>(0, 1, 1, tokens.length, 0), 0);
    for (String token : tokens) {
      Block block = UnreadBlock.of("syslog", token, 1, new byte[] {7});
      operator.processElement(new CommittableWithLineage<>(block, 1, 0), 0);
    }
  }

  /** The committing half of the sink, at the virtual server. */
  private static final class SinkWithServer implements SupportsCommitter<Block> {
    @Override
    public Committer<Block> createCommitter(CommitterInitContext context) {
      var backoff =
          new Backoff(Duration.ofMillis(200), LONGEST_PAUSE, new Random(1)) {
            @Override
            public void pause(long millis) throws InterruptedException {
              server.nowMillis += millis;
              if (server.nowMillis >= server.killsAtMillis) {
                throw new InterruptedException("killed");
              }
            }
          };
      return new ClickHouseCommitter(
          server, backoff, () -> server.nowMillis * 1_000_000, context.metricGroup());
    }

    @Override
    public SimpleVersionedSerializer<Block> getCommittableSerializer() {
      return new BlockSerializer();
    }
  }

  /** Stores each token once, as ClickHouse does within its window. */
  private static final class Server implements BlockInserter {
    final List<String> sent = new ArrayList<>();
    final Set<String> stored = new LinkedHashSet<>();
    long nowMillis;
    long awayUntilMillis;
    long killsAtMillis = Long.MAX_VALUE;
    String storesAndDoesNotAnswer;

    @Override
    public void insert(Block block) throws IOException {
      String token = block.deduplicationToken();
      sent.add(token);
      nowMillis += ATTEMPT_MILLIS;
      boolean isLastWord = token.equals(storesAndDoesNotAnswer);
      if (isLastWord) {
        storesAndDoesNotAnswer = null;
        stored.add(token);
      }
      if (isLastWord || nowMillis < awayUntilMillis) {
        throw new RetryableInsertException("away", new IOException("connection refused"));
      }
      stored.add(token);
    }

    @Override
    public void insertWithoutRefusingViews(Block block) {
      throw new AssertionError("nothing is refused");
    }

    @Override
    public Set<String> quarantinedTokens() throws IOException {
      if (nowMillis < awayUntilMillis) {
        nowMillis += ATTEMPT_MILLIS;
        throw new RetryableInsertException("away", new IOException("connection refused"));
      }
      return Set.of();
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
