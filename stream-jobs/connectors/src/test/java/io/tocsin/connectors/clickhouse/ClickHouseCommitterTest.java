package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.apache.flink.api.connector.sink2.mocks.MockCommitRequest;
import org.apache.flink.metrics.HistogramStatistics;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.Test;

class ClickHouseCommitterTest {
  private static final int BLOCK_BYTES = 11;
  private static final long INSERT_MILLIS = 30;
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final MetricListener metrics = new MetricListener();
  private final FakeInserter inserter = new FakeInserter();
  private final VirtualBackoff backoff = new VirtualBackoff();
  private final ClickHouseCommitter committer =
      new ClickHouseCommitter(inserter, backoff, () -> inserter.nanoTime, metrics.getMetricGroup());

  @Test
  void blocksAreInsertedInOrder() throws Exception {
    commit(block("a", 2), block("b", 3));

    assertThat(inserter.tokens).containsExactly("a", "b");
    assertThat(counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL)).isEqualTo(2);
    assertThat(counter(ClickHouseSink.INSERTED_ROWS_TOTAL)).isEqualTo(5);
    assertThat(counter(ClickHouseSink.INSERTED_BYTES_TOTAL)).isEqualTo(2 * BLOCK_BYTES);
    assertThat(counter(ClickHouseSink.INSERT_RETRIES_TOTAL)).isZero();
    assertThat(counter(ClickHouseSink.QUARANTINED_BLOCKS_TOTAL)).isZero();
  }

  @Test
  void durationsAreOfInsertsThatWereAcknowledged() throws Exception {
    inserter.failures.add(new RetryableInsertException("away", null));

    commit(block("a", 1), block("b", 1));

    HistogramStatistics durations =
        metrics.getHistogram(ClickHouseSink.INSERT_MILLIS).orElseThrow().getStatistics();
    assertThat(durations.getValues()).containsExactly(INSERT_MILLIS, INSERT_MILLIS);
  }

  @Test
  void uncertainInsertIsRepeatedWithTheSameTokenBeforeTheNextBlock() throws Exception {
    inserter.failures.add(new RetryableInsertException("away", null));
    inserter.failures.add(new RetryableInsertException("away", null));

    commit(block("a", 1), block("b", 1));

    assertThat(inserter.tokens).containsExactly("a", "a", "a", "b");
    assertThat(counter(ClickHouseSink.INSERT_RETRIES_TOTAL)).isEqualTo(2);
    assertThat(counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL)).isEqualTo(2);
    assertThat(backoff.pausesMillis).hasSize(2);
    assertThat(counter(ClickHouseSink.INSERT_WAIT_MILLIS_TOTAL)).isEqualTo(backoff.waitedMillis());
  }

  @Test
  void serverThatIsAwayForADayIsWaitedFor() throws Exception {
    inserter.awayUntilNanos = Duration.ofDays(1).toNanos();

    commit(block("a", 1), block("b", 1));

    assertThat(inserter.tokens).startsWith("a", "a").endsWith("a", "b");
    assertThat(Duration.ofNanos(inserter.nanoTime))
        .isBetween(Duration.ofDays(1), Duration.ofDays(1).plus(LONGEST_PAUSE).plusSeconds(1));
    assertThat(counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL)).isEqualTo(2);
    assertThat(counter(ClickHouseSink.QUARANTINED_BLOCKS_TOTAL)).isZero();
  }

  @Test
  void whatWaitsIsShownWithItsAge() throws Exception {
    inserter.awayUntilNanos = Duration.ofHours(1).toNanos();
    backoff.interruptsAfterNanos = Duration.ofMinutes(10).toNanos();
    assertThat(gauge(ClickHouseSink.WAITING_MILLIS)).isEqualTo(0L);

    assertThatThrownBy(() -> commit(block("a", 1), block("b", 1)))
        .isInstanceOf(InterruptedException.class);

    assertThat(gauge(ClickHouseSink.WAITING_BLOCKS)).isEqualTo(2);
    assertThat((Long) gauge(ClickHouseSink.WAITING_MILLIS))
        .isBetween(
            Duration.ofMinutes(10).toMillis(),
            Duration.ofMinutes(10).plus(LONGEST_PAUSE).toMillis() + INSERT_MILLIS);
  }

  @Test
  void refusedBlockIsQuarantinedUnderItsTokenAndTheOthersGoOn() throws Exception {
    inserter.refusingTables.add("dhcp");

    commit(block("a", 1), block("dhcp", "b", 3), block("c", 1));

    assertThat(inserter.stored).containsExactly("syslog a", Quarantine.TABLE + " b", "syslog c");
    assertThat(backoff.pausesMillis).isEmpty();
    assertThat(counter(ClickHouseSink.QUARANTINED_BLOCKS_TOTAL)).isEqualTo(1);
    assertThat(counter(ClickHouseSink.QUARANTINED_ROWS_TOTAL)).isEqualTo(3);
    assertThat(counter(ClickHouseSink.INSERTED_ROWS_TOTAL)).isEqualTo(2);
    assertThat(counter(ClickHouseSink.REFUSED_BLOCKS_TOTAL)).isZero();
  }

  @Test
  void blockThatOnlyAViewRefusesIsStoredAndToldByTheQuarantine() throws Exception {
    inserter.tablesWithRefusingViews.add("dhcp");

    commit(block("dhcp", "a", 3), block("b", 1));

    assertThat(inserter.stored).containsExactly("dhcp a", Quarantine.TABLE + " a", "syslog b");
    assertThat(counter(ClickHouseSink.QUARANTINED_ROWS_TOTAL)).isEqualTo(3);
    assertThat(counter(ClickHouseSink.INSERTED_ROWS_TOTAL)).isEqualTo(4);
  }

  @Test
  void blockThatWasQuarantinedBeforeARestartIsLeftThereAlsoWhereItsTableIsMended()
      throws Exception {
    inserter.quarantined.add("a");

    commit(block("a", 1), block("b", 1));

    assertThat(inserter.stored).containsExactly("syslog b");
    assertThat(counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL)).isEqualTo(1);
  }

  @Test
  void quarantineThatIsAwayIsWaitedFor() throws Exception {
    inserter.refusingTables.add("dhcp");
    inserter.awayAtAttempt = 3;

    commit(block("dhcp", "a", 1));

    assertThat(inserter.stored).containsExactly(Quarantine.TABLE + " a");
    assertThat(backoff.pausesMillis).hasSize(1);
    assertThat(counter(ClickHouseSink.QUARANTINED_BLOCKS_TOTAL)).isEqualTo(1);
  }

  @Test
  void blockThatTheQuarantineRefusesTooFailsTheJobAtOnceAndSaysBothReasons() {
    inserter.refusingTables.add("syslog");
    inserter.refusingTables.add(Quarantine.TABLE);

    assertThatThrownBy(() -> commit(block("a", 1)))
        .hasMessage("no room in quarantined_blocks")
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("no room in syslog"));
    assertThat(backoff.pausesMillis).isEmpty();
    assertThat(counter(ClickHouseSink.REFUSED_BLOCKS_TOTAL)).isEqualTo(1);
    assertThat(counter(ClickHouseSink.INSERTED_BLOCKS_TOTAL)).isZero();
    assertThat(counter(ClickHouseSink.QUARANTINED_BLOCKS_TOTAL)).isZero();
  }

  private void commit(Block... blocks) throws Exception {
    var requests = new ArrayList<CommitRequest<Block>>();
    for (Block block : blocks) {
      requests.add(new MockCommitRequest<>(block));
    }
    committer.commit(requests);
  }

  private static Block block(String token, int rows) {
    return block("syslog", token, rows);
  }

  private static Block block(String table, String token, int rows) {
    return UnreadBlock.of(table, token, rows, new byte[BLOCK_BYTES]);
  }

  private long counter(String name) {
    return metrics.getCounter(name).orElseThrow().getCount();
  }

  private Object gauge(String name) {
    return metrics.getGauge(name).orElseThrow().getValue();
  }

  private static final class FakeInserter implements BlockInserter {
    final List<String> tokens = new ArrayList<>();
    final List<String> stored = new ArrayList<>();
    final Deque<IOException> failures = new ArrayDeque<>();
    final Set<String> refusingTables = new HashSet<>();
    final Set<String> tablesWithRefusingViews = new HashSet<>();
    final Set<String> quarantined = new HashSet<>();
    int awayAtAttempt;
    long awayUntilNanos;
    long nanoTime;

    @Override
    public void insert(Block block) throws IOException {
      attempt(block);
      if (tablesWithRefusingViews.contains(block.table())) {
        throw new IOException("a view throws");
      }
      stored.add(block.table() + " " + block.deduplicationToken());
    }

    @Override
    public void insertWithoutRefusingViews(Block block) throws IOException {
      attempt(block);
      stored.add(block.table() + " " + block.deduplicationToken());
    }

    @Override
    public Set<String> quarantinedTokens() {
      return quarantined;
    }

    private void attempt(Block block) throws IOException {
      tokens.add(block.deduplicationToken());
      nanoTime += INSERT_MILLIS * 1_000_000;
      if (nanoTime < awayUntilNanos || tokens.size() == awayAtAttempt) {
        throw new RetryableInsertException("away", null);
      }
      if (!failures.isEmpty()) {
        throw failures.remove();
      }
      if (refusingTables.contains(block.table())) {
        throw new IOException("no room in " + block.table());
      }
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private final class VirtualBackoff extends Backoff {
    final List<Long> pausesMillis = new ArrayList<>();
    long interruptsAfterNanos = Long.MAX_VALUE;

    VirtualBackoff() {
      super(Duration.ofMillis(200), LONGEST_PAUSE, new Random(1));
    }

    @Override
    public void pause(long millis) throws InterruptedException {
      if (inserter.nanoTime > interruptsAfterNanos) {
        throw new InterruptedException();
      }
      pausesMillis.add(millis);
      inserter.nanoTime += millis * 1_000_000;
    }

    long waitedMillis() {
      return pausesMillis.stream().mapToLong(Long::longValue).sum();
    }
  }
}
