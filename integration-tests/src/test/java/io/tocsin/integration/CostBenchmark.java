package io.tocsin.integration;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.alertmanager.AlertmanagerService;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.kafka.KafkaService;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What an event costs, from the wire to the row: CPU of each process, bytes and memory, at steady
 * rates and idle; and beside it what a user would build otherwise, rsyslog to Kafka to ClickHouse's
 * own Kafka engine, without any correlation. {@code make bench-cost} runs it.
 *
 * <p>The peer has as many events a second, all of them syslog, because it knows nothing else.
 *
 * <p>Arguments: "tocsin" or "peer"; messages a second, several with commas, 0 for an idle stack
 * (20000,10000,5000,0); measured seconds of each (30).
 */
public final class CostBenchmark {
  private static final int WARM_UP_SECONDS = 30;

  /**
   * JVMs compile what they run for minutes, the longer the less of the machine is free, and then
   * never again: what a server costs from the second hour on is measured once they have.
   */
  private static final double MAX_COMPILING_SHARE = 0.02;

  private static final int MAX_WARM_UP_SECONDS = 600;
  private static final int DEVICES = 100;

  private CostBenchmark() {}

  /** A pipeline that is measured. */
  interface Pipeline {
    /** The processes that it is made of, by name. */
    Map<String, Long> processes();

    /** Events that are stored. */
    long stored();

    /** Events that the kernel has dropped before they were read. */
    long dropped() throws Exception;

    /** Bytes of all tables on disk. */
    long keptBytes();

    /** Traffic at this rate, until it is closed. */
    CostTraffic start(int perSecond) throws Exception;
  }

  /** What was used until a moment. */
  record Usage(
      long nanos,
      Map<String, Double> cpuSeconds,
      double compilerCpuSeconds,
      Map<String, Long> writtenBytes,
      long stored,
      long dropped,
      long keptBytes) {}

  /** Runs it on a stack of its own. */
  public static void main(String[] args) throws Exception {
    String what = args.length > 0 ? args[0] : "tocsin";
    String rates = args.length > 1 ? args[1] : "20000,10000,5000,0";
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 30;
    List<Integer> perSecond = Arrays.stream(rates.split(",")).map(Integer::valueOf).toList();
    try (Stack stack = TestStacks.create("cost-benchmark-" + what)) {
      if (what.equals("peer")) {
        stack.startStores();
        try (KafkaEnginePeer peer = KafkaEnginePeer.start(stack)) {
          measureAll(what, peer(stack, peer), perSecond, seconds);
        }
      } else {
        stack.start();
        measureAll(what, tocsin(stack, DEVICES, DEVICES), perSecond, seconds);
      }
    }
  }

  private static void measureAll(
      String what, Pipeline pipeline, List<Integer> rates, int measuredSeconds) throws Exception {
    for (int perSecond : rates) {
      measure(what, pipeline, perSecond, measuredSeconds);
    }
  }

  /** Measures at one rate, once the JVMs have compiled, and prints the figures. */
  static void measure(String what, Pipeline pipeline, int perSecond, int measuredSeconds)
      throws Exception {
    CostTraffic traffic = pipeline.start(perSecond);
    try {
      Usage before = warmUp(pipeline);
      TimeUnit.SECONDS.sleep(measuredSeconds);
      print(what, perSecond, before, usage(pipeline), pipeline);
    } finally {
      traffic.close();
    }
  }

  /** Until the JVMs compile no more than a little, or for some minutes. */
  static Usage warmUp(Pipeline pipeline) throws Exception {
    Usage begun = usage(pipeline);
    Usage now = begun;
    double share = 1;
    double seconds = 0;
    while (share > MAX_COMPILING_SHARE && seconds < MAX_WARM_UP_SECONDS) {
      TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
      Usage before = now;
      now = usage(pipeline);
      share = compilingShare(before, now);
      seconds = (now.nanos() - begun.nanos()) / 1e9;
      say(
          "warmed up for %.0f s: %.1f %% of all CPU goes into compiling; measured at %.0f %%, or after"
              + " %d s",
          seconds, share * 100, MAX_COMPILING_SHARE * 100, MAX_WARM_UP_SECONDS);
    }
    return now;
  }

  private static double compilingShare(Usage before, Usage after) {
    return (after.compilerCpuSeconds() - before.compilerCpuSeconds())
        / (sum(after.cpuSeconds()) - sum(before.cpuSeconds()));
  }

  static Usage usage(Pipeline pipeline) throws Exception {
    Map<String, Double> cpuSeconds = new LinkedHashMap<>();
    double compilerCpuSeconds = 0;
    Map<String, Long> writtenBytes = new LinkedHashMap<>();
    for (Map.Entry<String, Long> process : pipeline.processes().entrySet()) {
      cpuSeconds.put(process.getKey(), Machine.cpuSeconds(process.getValue()));
      compilerCpuSeconds += Machine.compilerCpuSeconds(process.getValue());
      writtenBytes.put(process.getKey(), Machine.writtenBytes(process.getValue()));
    }
    return new Usage(
        System.nanoTime(),
        cpuSeconds,
        compilerCpuSeconds,
        writtenBytes,
        pipeline.stored(),
        pipeline.dropped(),
        pipeline.keptBytes());
  }

  static void print(String what, int perSecond, Usage before, Usage after, Pipeline pipeline)
      throws Exception {
    double seconds = (after.nanos() - before.nanos()) / 1e9;
    long events = after.stored() - before.stored();
    double allCpu = sum(after.cpuSeconds()) - sum(before.cpuSeconds());
    long written = sumOfBytes(after.writtenBytes()) - sumOfBytes(before.writtenBytes());
    say(
        "%s, %,d sent a second: %,.0f stored a second, %,d dropped by the kernel; %.2f cores%s;"
            + " %.0f %% of it compiling; load average %s",
        what,
        perSecond,
        events / seconds,
        after.dropped() - before.dropped(),
        allCpu / seconds,
        perSecond == 0 ? "" : ", %.1f us an event".formatted(allCpu * 1e6 / events),
        compilingShare(before, after) * 100,
        Machine.loadAverage());
    if (perSecond > 0) {
      say(
          "  %.0f bytes written an event (%.0f by ClickHouse), %.0f kept in tables",
          (double) written / events,
          (double)
                  (after.writtenBytes().get(ClickHouseService.NAME)
                      - before.writtenBytes().get(ClickHouseService.NAME))
              / events,
          (double) (after.keptBytes() - before.keptBytes()) / events);
    }
    for (Map.Entry<String, Long> process : pipeline.processes().entrySet()) {
      double cpu =
          after.cpuSeconds().get(process.getKey()) - before.cpuSeconds().get(process.getKey());
      say(
          "  %-12s %.3f cores %s %,5d MiB resident",
          process.getKey(),
          cpu / seconds,
          perSecond == 0 ? "" : "%6.1f us an event".formatted(cpu * 1e6 / events),
          Machine.residentMib(process.getValue()));
    }
  }

  private static double sum(Map<String, Double> values) {
    return values.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private static long sumOfBytes(Map<String, Long> values) {
    return values.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Tocsin, with so many devices that speak and so many alerts that are open. */
  static Pipeline tocsin(Stack stack, int devices, int alerts) {
    return new Pipeline() {
      @Override
      public Map<String, Long> processes() {
        Map<String, Long> pids = new LinkedHashMap<>();
        for (String name :
            List.of(
                AgentService.NAME,
                KafkaService.NAME,
                FlinkService.NAME,
                ClickHouseService.NAME,
                AlertmanagerService.NAME)) {
          pids.put(name, stack.supervisor().pid(name));
        }
        return pids;
      }

      @Override
      public long stored() {
        return stack.clickHouse().number("SELECT toInt64(sum(stored)) FROM tocsin.stored_totals");
      }

      @Override
      public long dropped() {
        return stack.clickHouse().number("SELECT toInt64(sum(kernel_dropped)) FROM tocsin.balance");
      }

      @Override
      public long keptBytes() {
        return tableBytes(stack, "tocsin");
      }

      @Override
      public CostTraffic start(int perSecond) throws Exception {
        CostTraffic traffic = traffic(stack, devices, alerts);
        if (perSecond > 0) {
          traffic.startMixed(perSecond);
        }
        return traffic;
      }
    };
  }

  private static Pipeline peer(Stack stack, KafkaEnginePeer peer) {
    return new Pipeline() {
      @Override
      public Map<String, Long> processes() {
        Map<String, Long> pids = new LinkedHashMap<>();
        pids.put("rsyslog", peer.rsyslogPid());
        pids.put(KafkaService.NAME, stack.supervisor().pid(KafkaService.NAME));
        pids.put(ClickHouseService.NAME, stack.supervisor().pid(ClickHouseService.NAME));
        return pids;
      }

      @Override
      public long stored() {
        return stack.clickHouse().number("SELECT toInt64(count()) FROM peer.syslog");
      }

      @Override
      public long dropped() throws Exception {
        return peer.dropped();
      }

      @Override
      public long keptBytes() {
        return tableBytes(stack, "peer");
      }

      @Override
      public CostTraffic start(int perSecond) throws Exception {
        CostTraffic traffic = traffic(stack, DEVICES, 0);
        if (perSecond > 0) {
          traffic.startSyslog(perSecond);
        }
        return traffic;
      }
    };
  }

  private static CostTraffic traffic(Stack stack, int devices, int alerts) {
    return new CostTraffic(
        TestStacks.tools().tocsin(), stack.ports().offset(), stack.state().root(), devices, alerts);
  }

  private static long tableBytes(Stack stack, String database) {
    return stack
        .clickHouse()
        .number(
            "SELECT toInt64(sum(bytes_on_disk)) FROM system.parts WHERE active AND database = '%s'"
                .formatted(database));
  }

  private static void say(String format, Object... values) {
    System.out.println("[cost] " + String.format(Locale.ROOT, format, values));
  }
}
