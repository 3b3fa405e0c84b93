package io.tocsin.integration;

import io.tocsin.embedded.Stack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether one device that says half of everything holds the others up: how long marked alert
 * updates and DHCP packets of others take, by turns where fifty devices say as much each and where
 * one of them says half. {@code ONLY=hot-key make bench-pipeline} runs it.
 *
 * <p>Arguments: messages a second beside the marked ones (10000), seconds of a turn (60), turns of
 * each kind (3), instances of each operator (2).
 */
public final class HotKeyBenchmark {
  private static final int DEVICES = 50;
  private static final int WARM_UP_SECONDS = 120;

  /** Of each turn, before anything is measured: senders start, and a JVM takes to what is new. */
  private static final int SETTLING_SECONDS = 15;

  private final Stack stack;
  private final int perSecond;
  private final Marks marks;

  private HotKeyBenchmark(Stack stack, int perSecond) {
    this.stack = stack;
    this.perSecond = perSecond;
    this.marks = new Marks(stack.ports().alertUpdates(), stack.ports().dhcp());
  }

  /** Runs it on a stack of its own. */
  public static void main(String[] args) throws Exception {
    int perSecond = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 60;
    int turns = args.length > 2 ? Integer.parseInt(args[2]) : 3;
    int instances = args.length > 3 ? Integer.parseInt(args[3]) : 2;
    try (Stack stack = TestStacks.create("hot-key-benchmark", instances)) {
      stack.start();
      new HotKeyBenchmark(stack, perSecond).run(seconds, turns);
    }
  }

  private void run(int seconds, int turns) throws Exception {
    Traffic warmUp = evenly();
    try (warmUp) {
      say("%d s to warm up; load average %s", WARM_UP_SECONDS, Machine.loadAverage());
      marks.send(WARM_UP_SECONDS, false);
    }
    List<List<Latencies>> even = new ArrayList<>();
    List<List<Latencies>> hot = new ArrayList<>();
    for (int turn = 0; turn < turns; turn++) {
      even.add(measure("evenly", evenly(), seconds));
      hot.add(measure("half by one", halfByOne(), seconds));
    }
    print("each of %d devices says as much".formatted(DEVICES), even);
    print("one of them says half", hot);
  }

  /** Ends the traffic. */
  private List<Latencies> measure(String kind, Traffic traffic, int seconds) throws Exception {
    try (traffic;
        LatencyRun run = new LatencyRun(stack, marks)) {
      marks.send(SETTLING_SECONDS, false);
      marks.clear();
      say("%s; load average %s", kind, Machine.loadAverage());
      run.send(seconds);
      System.out.println(Latencies.HEADING);
      run.all().forEach(each -> System.out.println(each.row()));
      return run.all();
    }
  }

  private Traffic evenly() throws IOException {
    return new Traffic(List.of(traffic("even", DEVICES, perSecond)));
  }

  private Traffic halfByOne() throws IOException {
    return new Traffic(
        List.of(traffic("others", DEVICES, perSecond / 2), traffic("hot", 1, perSecond / 2)));
  }

  private CostTraffic traffic(String name, int devices, int each) throws IOException {
    Path folder = Files.createDirectories(stack.state().of("senders").resolve(name));
    CostTraffic traffic =
        new CostTraffic(
            TestStacks.tools().tocsin(), stack.ports().offset(), folder, devices, devices);
    traffic.startMixed(each);
    return traffic;
  }

  /** Senders that end together. */
  private record Traffic(List<CostTraffic> senders) implements AutoCloseable {
    @Override
    public void close() {
      senders.forEach(CostTraffic::close);
    }
  }

  private void print(String title, List<List<Latencies>> runs) {
    say("%s: medians of %d runs, %,d messages a second", title, runs.size(), perSecond);
    Latencies.printMedians(runs);
  }

  private static void say(String format, Object... values) {
    System.out.println("[hot-key] " + String.format(Locale.ROOT, format, values));
  }
}
