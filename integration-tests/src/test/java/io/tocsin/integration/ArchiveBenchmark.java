package io.tocsin.integration;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Rows that a CPU-second stores: the archive job and ClickHouse together, beside ClickHouse alone
 * with its own Kafka table engine and a materialized view. The same topic of syslog events, the
 * same table with all its indexes and roll-ups, the same machine, in turn. {@code make
 * bench-pipeline} runs it.
 *
 * <p>The job stores exactly once, ClickHouse's engine at least once. The engine runs twice: as
 * ClickHouse sets it up, when rows are visible after 7.5 s, and with rows visible after a second,
 * as with the job.
 *
 * <p>Arguments: measured events (1000000). As many go before them, to warm up.
 */
public final class ArchiveBenchmark {
  private static final Duration DEADLINE = Duration.ofMinutes(15);
  private static final long POLL_MILLIS = 100;
  private static final String FLINK_HEAP = "768m";

  private final Stack stack;
  private final int events;

  private ArchiveBenchmark(Stack stack, int events) {
    this.stack = stack;
    this.events = events;
  }

  /**
   * A stretch of storing.
   *
   * @param rows stored in it
   * @param jobSeconds CPU of the job's process
   * @param clickHouseSeconds CPU of ClickHouse's process, merges included
   */
  private record Used(long rows, double jobSeconds, double clickHouseSeconds) {
    double rowsPerCpuSecond() {
      return rows / (jobSeconds + clickHouseSeconds);
    }
  }

  /** Runs it on a ClickHouse and a Kafka of its own. */
  public static void main(String[] args) throws Exception {
    int events = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    try (Stack stack = TestStacks.create("archive-benchmark")) {
      stack.startStores();
      new ArchiveBenchmark(stack, events).run();
    }
  }

  private void run() throws Exception {
    run(
        TestStacks.tools().tocsin().toString(),
        "schema",
        "apply",
        "--kafka=" + stack.kafkaBootstrapServers(),
        "--clickhouse=" + stack.clickHouseUrl(),
        "--schemas=" + TestStacks.tools().schemas());
    say("%,d syslog events to Kafka", 2 * events);
    SyslogFill.fill(stack.kafkaBootstrapServers(), 2 * events);
    Used job = ofJob();
    print("archive job + ClickHouse", job, job);
    Used fresh = ofEngine("kafka_flush_interval_ms = 1000");
    print("Kafka engine, flush 1 s", fresh, job);
    Used usual = ofEngine("kafka_flush_interval_ms = 7500");
    print("Kafka engine, flush 7.5 s", usual, job);
  }

  private Used ofJob() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaProcess.command(
                FlinkMain.class,
                FLINK_HEAP,
                JavaProcess.flinkFlags(),
                List.of(
                    "--jobs=archive",
                    "--path=" + stack.state().of("flink"),
                    "--rest-port=" + stack.ports().flink(),
                    "--kafka-bootstrap-servers=" + stack.kafkaBootstrapServers(),
                    "--clickhouse-url=" + stack.clickHouseUrl())));
    Process job =
        builder
            .redirectErrorStream(true)
            .redirectOutput(stack.state().logs().resolve("archive-job.log").toFile())
            .start();
    try {
      return measure("archive job", job);
    } finally {
      job.destroy();
      Ended.of(job);
    }
  }

  private Used ofEngine(String setting) throws Exception {
    sql("TRUNCATE TABLE tocsin.syslog");
    String engine = Files.readString(resource("kafka-engine.sql"));
    String group = "bench-" + setting.replaceAll("[^0-9]", "");
    for (String statement :
        engine
            .replace("{broker}", stack.kafkaBootstrapServers())
            .replace("{group}", group)
            .replace("{schema}", resource("syslog-event.proto").toString())
            .replace("{setting}", setting)
            .split(";\n")) {
      sql(statement);
    }
    try {
      return measure("Kafka engine, " + setting, null);
    } finally {
      sql("DROP TABLE tocsin.bench_to_syslog");
      sql("DROP TABLE tocsin.bench_queue");
    }
  }

  private static Path resource(String name) {
    return TestStacks.tools()
        .repository()
        .resolve("integration-tests/src/test/resources/archive-benchmark")
        .resolve(name);
  }

  /** From the row where the warm-up ends to the last one, which must be stored by the deadline. */
  private Used measure(String what, Process job) throws Exception {
    Used atWarm = awaitRows(what, events, job);
    Used atEnd = awaitRows(what, 2 * events, job);
    if (atEnd.rows() != 2L * events) {
      throw new AssertionError("%s stored %d of %d rows".formatted(what, atEnd.rows(), 2 * events));
    }
    return new Used(
        atEnd.rows() - atWarm.rows(),
        atEnd.jobSeconds() - atWarm.jobSeconds(),
        atEnd.clickHouseSeconds() - atWarm.clickHouseSeconds());
  }

  private Used awaitRows(String what, long wanted, Process job) throws Exception {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    long nextProgress = System.nanoTime();
    while (true) {
      long rows = stack.clickHouse().number("SELECT count() FROM tocsin.syslog");
      if (rows >= wanted) {
        double jobSeconds = job == null ? 0 : Machine.cpuSeconds(job.pid());
        long clickHouse = stack.supervisor().pid(ClickHouseService.NAME);
        return new Used(rows, jobSeconds, Machine.cpuSeconds(clickHouse));
      }
      if (job != null && !job.isAlive()) {
        throw new AssertionError(what + " has ended: see archive-job.log");
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError("%s stored %d of %d rows".formatted(what, rows, wanted));
      }
      if (System.nanoTime() >= nextProgress) {
        say("%s: %,d of %,d rows", what, rows, 2 * events);
        nextProgress = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private void sql(String statement) {
    stack.clickHouse().execute(statement);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Ended ended = Ended.of(new ProcessBuilder(command));
    if (ended.exitCode() != 0) {
      throw new AssertionError("failed: %s: %s".formatted(List.of(command), ended.output()));
    }
  }

  private static void print(String what, Used used, Used job) throws IOException {
    say(
        "%-26s %,9.0f rows a CPU-second (%,d rows, job %.1f s, ClickHouse %.1f s); the job has %.2f of it; %d cores, load average %s",
        what,
        used.rowsPerCpuSecond(),
        used.rows(),
        used.jobSeconds(),
        used.clickHouseSeconds(),
        job.rowsPerCpuSecond() / used.rowsPerCpuSecond(),
        Runtime.getRuntime().availableProcessors(),
        Machine.loadAverage());
  }

  private static void say(String format, Object... values) {
    System.out.println("[archive] " + String.format(Locale.ROOT, format, values));
  }
}
