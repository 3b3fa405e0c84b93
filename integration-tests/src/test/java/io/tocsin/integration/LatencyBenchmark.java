package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.kafka.KafkaService;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * How long a datagram takes through the whole pipeline amid other traffic: an alert update to its
 * alert on {@code alerts-v1}, in Alertmanager and as a row, a DHCP packet to its registration on
 * {@code registrations-v1}. Prints percentiles, the load average and what each process used. {@code
 * make bench-pipeline} runs it.
 *
 * <p>Arguments: messages a second of made-up syslog beside the marked ones (10000), seconds (60).
 *
 * <p>All times are of this machine's one clock. Alertmanager tells itself when it took an alert
 * ({@code updatedAt}); rows are asked for four times a second, which the figure contains.
 */
public final class LatencyBenchmark {
  private static final int WARM_UP_SECONDS = 120;
  private static final Duration ALERTMANAGER_POLL = Duration.ofSeconds(1);
  private static final Duration CLICKHOUSE_POLL = Duration.ofMillis(250);
  private static final Duration LAST_ARRIVALS = Duration.ofSeconds(20);
  private static final int SYSLOG_DEVICES = 50;

  private final Stack stack;
  private final int syslogPerSecond;
  private final int seconds;
  private final Marks marks;
  private volatile boolean isEnding;

  private LatencyBenchmark(Stack stack, int syslogPerSecond, int seconds) {
    this.stack = stack;
    this.syslogPerSecond = syslogPerSecond;
    this.seconds = seconds;
    this.marks = new Marks(stack.ports().alertUpdates(), stack.ports().dhcp());
  }

  /** Runs it on a stack of its own. */
  public static void main(String[] args) throws Exception {
    int syslogPerSecond = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 60;
    try (Stack stack = TestStacks.create("latency-benchmark")) {
      stack.start();
      new LatencyBenchmark(stack, syslogPerSecond, seconds).run();
    }
  }

  private void run() throws Exception {
    Latencies alerts = new Latencies("alert update to alerts-v1", 100, marks);
    Latencies pages = new Latencies("alert update to Alertmanager", 500, marks);
    Latencies rows = new Latencies("alert update to row in alert_updates", 3_000, marks);
    Latencies history = new Latencies("alert update to row in alert_history", 3_000, marks);
    Latencies leases = new Latencies("DHCP packet to registrations-v1", 200, marks);
    ExecutorService executor = Executors.newCachedThreadPool();
    Process background = startBackground();
    try (TopicFollower transitions =
            new TopicFollower(stack.kafkaBootstrapServers(), "alerts-v1", alerts::alertArrived);
        TopicFollower registrations =
            new TopicFollower(
                stack.kafkaBootstrapServers(), "registrations-v1", leases::leaseArrived)) {
      List<Future<?>> watchers =
          List.of(
              executor.submit(following(transitions)),
              executor.submit(following(registrations)),
              executor.submit(polling(ALERTMANAGER_POLL, () -> askAlertmanager(pages))),
              executor.submit(polling(CLICKHOUSE_POLL, () -> askClickHouse("alert_updates", rows))),
              executor.submit(
                  polling(CLICKHOUSE_POLL, () -> askClickHouse("alert_history", history))));
      say("%d s to warm up; load average %s", WARM_UP_SECONDS, Machine.loadAverage());
      marks.send(WARM_UP_SECONDS, false);
      Map<String, Double> cpuBefore = cpuSeconds();
      long startNanos = System.nanoTime();
      marks.send(seconds, true);
      double wallSeconds = (System.nanoTime() - startNanos) / 1e9;
      Map<String, Double> cpuAfter = cpuSeconds();
      String loadAverage = Machine.loadAverage();
      awaitArrivals(alerts, pages, rows, history, leases);
      isEnding = true;
      for (Future<?> watcher : watchers) {
        watcher.get(10, TimeUnit.SECONDS);
      }
      print(loadAverage, wallSeconds, cpuBefore, cpuAfter);
      List.of(alerts, pages, rows, history, leases).forEach(each -> System.out.println(each.row()));
    } finally {
      background.destroy();
      executor.shutdownNow();
    }
  }

  private Process startBackground() throws Exception {
    long count = (long) syslogPerSecond * (WARM_UP_SECONDS + seconds);
    return new ProcessBuilder(
            TestStacks.tools().tocsin().toString(),
            "send",
            "--generate=syslog-udp",
            "--count=" + count,
            "--rate=" + syslogPerSecond,
            "--sources=" + SYSLOG_DEVICES,
            "--port-offset=" + stack.ports().offset())
        .redirectErrorStream(true)
        .redirectOutput(Path.of("/dev/null").toFile())
        .start();
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

  private void askAlertmanager(Latencies pages) throws Exception {
    URI marked =
        URI.create(
            "http://127.0.0.1:%d/api/v2/alerts?filter=source%%3D~%%22%s.*%%22"
                .formatted(stack.ports().alertmanager(), Marks.SOURCE));
    for (JsonNode alert : Http.json(marked)) {
      pages.arrived(
          alert.path("labels").path("device").asText(),
          Instant.parse(alert.path("updatedAt").asText()));
    }
  }

  /**
   * Of the newest marks, so that the question costs the same in the last minute as in the first.
   */
  private void askClickHouse(String table, Latencies rows) {
    JsonNode found =
        stack
            .clickHouse()
            .rows(
                "SELECT device FROM tocsin.%s WHERE device >= '%s' AND device < '%s'"
                    .formatted(table, marks.recentDevice(), Marks.AFTER_ALL_DEVICES));
    Instant now = Instant.now();
    found.forEach(row -> rows.arrived(row.path(0).asText(), now));
  }

  /** Waits for what is under way; what has not come then is reported as missing. */
  private static void awaitArrivals(Latencies... all) throws InterruptedException {
    long deadline = System.nanoTime() + LAST_ARRIVALS.toNanos();
    while (System.nanoTime() < deadline && !List.of(all).stream().allMatch(Latencies::complete)) {
      Thread.sleep(100);
    }
  }

  private Map<String, Double> cpuSeconds() throws Exception {
    Map<String, Double> seconds = new TreeMap<>();
    for (String service :
        List.of(AgentService.NAME, KafkaService.NAME, FlinkService.NAME, ClickHouseService.NAME)) {
      seconds.put(service, Machine.cpuSeconds(stack.supervisor().pid(service)));
    }
    return seconds;
  }

  private void print(
      String loadAverage, double wall, Map<String, Double> before, Map<String, Double> after) {
    say(
        "%,d syslog messages/s and %d marked ones/s for %.0f s, %d cores, load average %s at the end",
        syslogPerSecond,
        Marks.PER_SECOND,
        wall,
        Runtime.getRuntime().availableProcessors(),
        loadAverage);
    long dropped =
        stack
            .clickHouse()
            .rows("SELECT toInt64(sum(kernel_dropped)) FROM tocsin.balance")
            .path(0)
            .path(0)
            .asLong();
    StringBuilder used = new StringBuilder();
    after.forEach(
        (service, cpu) ->
            used.append(
                String.format(
                    Locale.ROOT,
                    "  %s %.0f %%",
                    service,
                    100 * (cpu - before.get(service)) / wall)));
    say("of one core:%s; dropped by the kernel: %d", used, dropped);
    System.out.println(Latencies.HEADING);
  }

  private static void say(String format, Object... values) {
    System.out.println("[latency] " + String.format(Locale.ROOT, format, values));
  }
}
