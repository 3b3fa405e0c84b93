package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.embedded.Stack;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Registration;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Marks for some time, and when each arrived at every place on its way. All times are of this
 * machine's one clock: the agent tells itself when it received a datagram, the broker when it took
 * a record, Alertmanager when it took an alert ({@code updatedAt}); rows are asked for four times a
 * second, which the figure contains.
 */
final class LatencyRun implements AutoCloseable {
  private static final Duration ALERTMANAGER_POLL = Duration.ofSeconds(1);
  private static final Duration CLICKHOUSE_POLL = Duration.ofMillis(250);
  private static final Duration LAST_ARRIVALS = Duration.ofSeconds(20);

  private final Stack stack;
  private final Marks marks;
  private final Latencies alertReceipts;
  private final Latencies alertEvents;
  private final Latencies alertsTaken;
  private final Latencies alerts;
  private final Latencies pages;
  private final Latencies rows;
  private final Latencies history;
  private final Latencies leaseReceipts;
  private final Latencies leaseEvents;
  private final Latencies leasesTaken;
  private final Latencies leases;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private volatile boolean isEnding;

  LatencyRun(Stack stack, Marks marks) {
    this.stack = stack;
    this.marks = marks;
    alertReceipts = new Latencies("alert update to the agent", marks);
    alertEvents = new Latencies("alert update to events-alert-v1", marks);
    alertsTaken = new Latencies("alert update to alerts-v1, at the broker", marks);
    alerts = new Latencies("alert update to alerts-v1, at a reader", 100, marks);
    pages = new Latencies("alert update to Alertmanager", 250, marks);
    rows = new Latencies("alert update to row in alert_updates", 3_000, marks);
    history = new Latencies("alert update to row in alert_history", 3_000, marks);
    leaseReceipts = new Latencies("DHCP packet to the agent", marks);
    leaseEvents = new Latencies("DHCP packet to events-dhcp-v1", marks);
    leasesTaken = new Latencies("DHCP packet to registrations-v1, at the broker", marks);
    leases = new Latencies("DHCP packet to registrations-v1, at a reader", 150, marks);
  }

  /** In the order of the way. */
  List<Latencies> all() {
    return List.of(
        alertReceipts,
        alertEvents,
        alertsTaken,
        alerts,
        pages,
        rows,
        history,
        leaseReceipts,
        leaseEvents,
        leasesTaken,
        leases);
  }

  /** Where the slowest marks of each kind waited. */
  List<String> slowest() {
    return List.of(
        Latencies.slowest(List.of(alertReceipts, alertEvents, alertsTaken, alerts)),
        Latencies.slowest(List.of(leaseReceipts, leaseEvents, leasesTaken, leases)));
  }

  /** Sends marks for so long. */
  void send(int seconds) throws Exception {
    try (TopicFollower alertUpdates = follower("events-alert-v1", this::onAlertEvent);
        TopicFollower transitions = follower("alerts-v1", this::onAlert);
        TopicFollower messages = follower("events-dhcp-v1", this::onLeaseEvent);
        TopicFollower registrations = follower("registrations-v1", this::onRegistration)) {
      Installation on = Installation.of("latency", stack);
      List<Future<?>> watchers =
          List.of(
              executor.submit(following(alertUpdates)),
              executor.submit(following(transitions)),
              executor.submit(following(messages)),
              executor.submit(following(registrations)),
              executor.submit(polling(ALERTMANAGER_POLL, () -> on.askForMarks(pages))),
              executor.submit(polling(CLICKHOUSE_POLL, () -> askClickHouse("alert_updates", rows))),
              executor.submit(
                  polling(CLICKHOUSE_POLL, () -> askClickHouse("alert_history", history))));
      marks.send(seconds, true);
      awaitArrivals();
      isEnding = true;
      for (Future<?> watcher : watchers) {
        watcher.get(10, TimeUnit.SECONDS);
      }
    }
  }

  private TopicFollower follower(String topic, TopicFollower.Taker taker) {
    return new TopicFollower(stack.kafkaBootstrapServers(), topic, taker);
  }

  private void onAlertEvent(ConsumerRecord<byte[], byte[]> event, Instant read) throws IOException {
    onEvent(event, Event.parseFrom(event.value()).getDevice(), alertReceipts, alertEvents);
  }

  private void onLeaseEvent(ConsumerRecord<byte[], byte[]> event, Instant read) throws IOException {
    String mac = Event.parseFrom(event.value()).getDhcp().getMac();
    onEvent(event, mac, leaseReceipts, leaseEvents);
  }

  private static void onEvent(
      ConsumerRecord<byte[], byte[]> event, String mark, Latencies receipts, Latencies events)
      throws IOException {
    long receivedAt = Event.parseFrom(event.value()).getReceivedAtUnixNanos();
    receipts.arrived(mark, Instant.EPOCH.plusNanos(receivedAt));
    events.arrived(mark, Instant.ofEpochMilli(event.timestamp()));
  }

  private void onAlert(ConsumerRecord<byte[], byte[]> alert, Instant read) throws IOException {
    String device = Alert.parseFrom(alert.value()).getDevice();
    alertsTaken.arrived(device, Instant.ofEpochMilli(alert.timestamp()));
    alerts.arrived(device, read);
  }

  private void onRegistration(ConsumerRecord<byte[], byte[]> registration, Instant read)
      throws IOException {
    String mac = Registration.parseFrom(registration.value()).getMac();
    leasesTaken.arrived(mac, Instant.ofEpochMilli(registration.timestamp()));
    leases.arrived(mac, read);
  }

  private Callable<Void> following(TopicFollower follower) {
    return () -> {
      while (!isEnding) {
        follower.poll();
      }
      return null;
    };
  }

  private interface Question {
    void ask() throws Exception;
  }

  private Callable<Void> polling(Duration interval, Question question) {
    return () -> {
      while (!isEnding) {
        long started = System.nanoTime();
        question.ask();
        long rest = interval.toNanos() - (System.nanoTime() - started);
        TimeUnit.NANOSECONDS.sleep(Math.max(0, rest));
      }
      return null;
    };
  }

  /**
   * Of the newest marks, so that the question costs the same in the last minute as in the first.
   */
  private void askClickHouse(String table, Latencies latencies) {
    JsonNode found =
        stack
            .clickHouse()
            .rows(
                "SELECT device FROM tocsin.%s WHERE device >= '%s' AND device < '%s'"
                    .formatted(table, marks.recentDevice(), Marks.AFTER_ALL_DEVICES));
    Instant now = Instant.now();
    found.forEach(row -> latencies.arrived(row.path(0).asText(), now));
  }

  /** Waits for what is under way; what has not come then is reported as missing. */
  private void awaitArrivals() throws InterruptedException {
    long deadline = System.nanoTime() + LAST_ARRIVALS.toNanos();
    while (System.nanoTime() < deadline && !all().stream().allMatch(Latencies::complete)) {
      Thread.sleep(100);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
