package io.tocsin.integration;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.kafka.KafkaService;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a datagram takes through the whole pipeline amid other traffic: an alert update to its
 * alert on {@code alerts-v1}, in Alertmanager and as a row, a DHCP packet to its registration on
 * {@code registrations-v1}, and to each place on the way. Prints percentiles, the load average,
 * what each process used and how long the JVM of the jobs stood still. {@code make bench-pipeline}
 * runs it.
 *
 * <p>Arguments: messages a second of made-up syslog beside the marked ones (10000), seconds (60),
 * runs one after the other (1), of which the medians are printed too.
 */
public final class LatencyBenchmark {
  private static final int WARM_UP_SECONDS = 120;
  private static final int SYSLOG_DEVICES = 50;

  /** Of the background: for what a run waits for beside its marks. */
  private static final int SPARE_SECONDS = 30;

  private static final Pattern COLLECTIONS =
      Pattern.compile(
          "^flink_taskmanager_Status_JVM_GarbageCollector_All_(Count|Time)\\{\\S* (\\S+)$",
          Pattern.MULTILINE);

  private final Stack stack;
  private final int syslogPerSecond;
  private final int seconds;
  private final int runs;
  private final Marks marks;

  private LatencyBenchmark(Stack stack, int syslogPerSecond, int seconds, int runs) {
    this.stack = stack;
    this.syslogPerSecond = syslogPerSecond;
    this.seconds = seconds;
    this.runs = runs;
    this.marks = new Marks(stack.ports().alertUpdates(), stack.ports().dhcp());
  }

  /** Runs it on a stack of its own. */
  public static void main(String[] args) throws Exception {
    int syslogPerSecond = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 60;
    int runs = args.length > 2 ? Integer.parseInt(args[2]) : 1;
    try (Stack stack = TestStacks.create("latency-benchmark")) {
      stack.start();
      new LatencyBenchmark(stack, syslogPerSecond, seconds, runs).run();
    }
  }

  private void run() throws Exception {
    Process background = startBackground();
    try {
      say("%d s to warm up; load average %s", WARM_UP_SECONDS, Machine.loadAverage());
      marks.send(WARM_UP_SECONDS, false);
      List<List<Latencies>> all = new ArrayList<>();
      for (int run = 1; run <= runs; run++) {
        say("run %d of %d", run, runs);
        all.add(measure());
      }
      if (runs > 1) {
        say("medians of %d runs", runs);
        Latencies.printMedians(all);
      }
    } finally {
      background.destroy();
    }
  }

  private List<Latencies> measure() throws Exception {
    marks.clear();
    Map<String, Double> before = used();
    long startNanos = System.nanoTime();
    try (LatencyRun run = new LatencyRun(stack, marks)) {
      run.send(seconds);
      double wallSeconds = (System.nanoTime() - startNanos) / 1e9;
      print(wallSeconds, before, used());
      run.all().forEach(each -> System.out.println(each.row()));
      run.slowest().forEach(System.out::println);
      return run.all();
    }
  }

  private Process startBackground() throws Exception {
    long count =
        (long) syslogPerSecond * (WARM_UP_SECONDS + (long) runs * (seconds + SPARE_SECONDS));
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

  /** CPU seconds of each process, and collections of garbage in the JVM of the jobs. */
  private Map<String, Double> used() throws Exception {
    Map<String, Double> used = new TreeMap<>();
    for (String service :
        List.of(AgentService.NAME, KafkaService.NAME, FlinkService.NAME, ClickHouseService.NAME)) {
      used.put(service, Machine.cpuSeconds(stack.supervisor().pid(service)));
    }
    Matcher collections =
        COLLECTIONS.matcher(
            Http.text(URI.create("http://127.0.0.1:" + stack.ports().flinkMetrics() + "/metrics")));
    while (collections.find()) {
      used.put(collections.group(1), Double.parseDouble(collections.group(2)));
    }
    return used;
  }

  private void print(double wall, Map<String, Double> before, Map<String, Double> after)
      throws Exception {
    say(
        "%,d syslog messages/s and %d marked ones/s for %.0f s, %d cores, load average %s at the end",
        syslogPerSecond,
        Marks.PER_SECOND,
        wall,
        Runtime.getRuntime().availableProcessors(),
        Machine.loadAverage());
    long dropped =
        stack
            .clickHouse()
            .rows("SELECT toInt64(sum(kernel_dropped)) FROM tocsin.balance")
            .path(0)
            .path(0)
            .asLong();
    Map<String, Double> used = new TreeMap<>(after);
    used.replaceAll((name, value) -> value - before.get(name));
    double collections = used.remove("Count");
    double collecting = used.remove("Time");
    StringBuilder cores = new StringBuilder();
    used.forEach(
        (service, cpu) ->
            cores.append(String.format(Locale.ROOT, "  %s %.0f %%", service, 100 * cpu / wall)));
    say("of one core:%s; dropped by the kernel: %d", cores, dropped);
    say("the jobs stood still %.0f times for garbage, %.0f ms in all", collections, collecting);
    System.out.println(Latencies.HEADING);
  }

  private static void say(String format, Object... values) {
    System.out.println("[latency] " + String.format(Locale.ROOT, format, values));
  }
}
