package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.events.v1.Event;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Marked alerts through a fault, and how long each took to the broker, to be an alert there, and to
 * Alertmanager. Times are those of the broker and of Alertmanager.
 */
final class PageWaits implements AutoCloseable {
  private static final Duration ALERTMANAGER_POLL = Duration.ofMillis(500);

  private static final int MARKS_PER_SECOND = 5;

  /** A mark lies so long or less before the moment of a fault. */
  private static final Duration BETWEEN_MARKS = Duration.ofMillis(1_000 / MARKS_PER_SECOND);

  private final Installation on;
  private final Marks marks;
  private final Latencies events;
  private final Latencies alerts;
  private final Latencies pages;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private volatile boolean isSending = true;
  private volatile boolean isEnding;
  private final List<Future<?>> watchers;
  private final Future<?> sending;

  /** Marks for the faults of an installation, which are told apart over all of them. */
  static Marks marksFor(Installation on) {
    return new Marks(on.ports().alertUpdates(), on.ports().dhcp(), MARKS_PER_SECOND);
  }

  /**
   * Begins to send, and returns at once.
   *
   * @param marks that go on with their numbers, so that each fault has alerts of its own
   */
  PageWaits(Installation on, Marks marks) {
    this.on = on;
    this.marks = marks;
    marks.clear();
    events = new Latencies("events-alert-v1", marks);
    alerts = new Latencies("alerts-v1", marks);
    pages = new Latencies("Alertmanager", marks);
    watchers =
        List.of(
            executor.submit(
                following(
                    "events-alert-v1",
                    record ->
                        events.arrived(
                            Event.parseFrom(record.value()).getDevice(),
                            Instant.ofEpochMilli(record.timestamp())))),
            executor.submit(
                following(
                    "alerts-v1",
                    record ->
                        alerts.arrived(
                            Alert.parseFrom(record.value()).getDevice(),
                            Instant.ofEpochMilli(record.timestamp())))),
            executor.submit(this::watchAlertmanager));
    sending =
        executor.submit(
            () -> {
              marks.sendWhile(() -> isSending, true);
              return null;
            });
  }

  /**
   * Goes on for so long after a fault, then waits until every mark is a page.
   *
   * @return what was sent, by listener
   * @throws AssertionError where a mark has not arrived by the deadline
   */
  Map<String, Long> endAfter(Duration more, Duration deadline) throws Exception {
    CompletableFuture.runAsync(
            () -> isSending = false,
            CompletableFuture.delayedExecutor(more.toMillis(), TimeUnit.MILLISECONDS))
        .get();
    sending.get();
    await("every marked alert at Alertmanager")
        .atMost(deadline)
        .conditionEvaluationListener(new Progress(on.name()))
        .until(() -> hasFailed() || pages.complete() && alerts.complete());
    isEnding = true;
    for (Future<?> watcher : watchers) {
      watcher.get();
    }
    long sent = marks.measured();
    return Map.of("alert-udp", sent, "dhcp-udp", sent);
  }

  /** Whether pages come. */
  boolean hasArrivals() {
    return pages.longestSeconds(Instant.MIN, Instant.MAX) > 0;
  }

  private boolean hasFailed() {
    return watchers.stream().anyMatch(Future::isDone);
  }

  /** How long pages took about the fault: the one of its moment, and the slowest of all. */
  String told(Instant fault) {
    Instant first = fault.minus(BETWEEN_MARKS);
    Instant next = fault.plus(BETWEEN_MARKS);
    Instant last = Instant.MAX;
    return ("a page sent at the moment of the fault took %.1f s (%.1f to events-alert-v1, %.1f to alerts-v1);"
            + " the slowest of those after it %.1f s (%.1f, %.1f)")
        .formatted(
            pages.longestSeconds(first, next),
            events.longestSeconds(first, next),
            alerts.longestSeconds(first, next),
            pages.longestSeconds(first, last),
            events.longestSeconds(first, last),
            alerts.longestSeconds(first, last));
  }

  private interface Taker {
    void take(ConsumerRecord<byte[], byte[]> record) throws IOException;
  }

  private Callable<Void> following(String topic, Taker taker) {
    TopicFollower follower =
        new TopicFollower(on.kafkaBootstrapServers(), topic, (record, read) -> taker.take(record));
    return () -> {
      try (follower) {
        while (!isEnding) {
          follower.poll();
        }
      }
      return null;
    };
  }

  private Void watchAlertmanager() throws Exception {
    while (!isEnding) {
      on.askForMarks(pages);
      TimeUnit.MILLISECONDS.sleep(ALERTMANAGER_POLL.toMillis());
    }
    return null;
  }

  @Override
  public void close() {
    isSending = false;
    isEnding = true;
    executor.shutdownNow();
  }
}
