package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import io.tocsin.embedded.Stack;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Whether a rate can be sustained: the traffic of {@link CostBenchmark} for some minutes, and how
 * long marked alert updates and DHCP packets take amid it, how old the newest row is before and
 * after, and how long after the last message the balance sheet is closed. {@code ONLY=sustained
 * make bench-cost} runs it.
 *
 * <p>Arguments: messages a second (60000), seconds (180).
 */
public final class SustainedBenchmark {
  private static final int DEVICES = 100;

  /** Few: each opens an alert that stays, and Alertmanager is asked for all of them each second. */
  private static final int MARKS_PER_SECOND = 5;

  /** Of marks that are not measured: JVMs, that of the benchmark too, compile what follows them. */
  private static final int SETTLING_SECONDS = 90;

  /** For the rows of the minutes in which they did. */
  private static final Duration LONGEST_CATCHING_UP = Duration.ofMinutes(10);

  /** Where no row is late the newest is not older: a commit, and the wait for it. */
  private static final int NEWEST_ROW_SECONDS = 4;

  private static final Duration LONGEST_CLOSING = Duration.ofMinutes(5);

  private SustainedBenchmark() {}

  /** Runs it on a stack of its own. */
  public static void main(String[] args) throws Exception {
    int perSecond = args.length > 0 ? Integer.parseInt(args[0]) : 60_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 180;
    try (Stack stack = TestStacks.create("sustained-benchmark")) {
      stack.start();
      run(stack, perSecond, seconds);
    }
  }

  private static void run(Stack stack, int perSecond, int seconds) throws Exception {
    CostBenchmark.Pipeline pipeline = CostBenchmark.tocsin(stack, DEVICES, DEVICES);
    Installation on = Installation.of("sustained", stack);
    Marks marks = new Marks(stack.ports().alertUpdates(), stack.ports().dhcp(), MARKS_PER_SECOND);
    CostTraffic traffic = pipeline.start(perSecond);
    try {
      CostBenchmark.warmUp(pipeline);
      follow(stack, marks, SETTLING_SECONDS);
      awaitRows(on);
      CostBenchmark.Usage before = CostBenchmark.usage(pipeline);
      List<Latencies> found = follow(stack, marks, seconds);
      CostBenchmark.print(
          "marked ones among them", perSecond, before, CostBenchmark.usage(pipeline), pipeline);
      newestRowSeconds(on);
      System.out.println(Latencies.HEADING);
      found.forEach(each -> System.out.println(each.row()));
    } finally {
      traffic.close();
    }
    long last = System.nanoTime();
    on.awaitClosedBalance(LONGEST_CLOSING);
    on.say(
        String.format(
            Locale.ROOT,
            "sheet closed %.1f s after the last message",
            (System.nanoTime() - last) / 1e9));
  }

  private static void awaitRows(Installation on) {
    try {
      await()
          .atMost(LONGEST_CATCHING_UP)
          .pollInterval(Duration.ofSeconds(5))
          .until(() -> newestRowSeconds(on) <= NEWEST_ROW_SECONDS);
    } catch (ConditionTimeoutException e) {
      on.say("rows are still behind: what follows is measured beside them");
    }
  }

  /** Not how many wait by the balance sheet: its counts are rows too, and as late. */
  private static long newestRowSeconds(Installation on) {
    long age =
        on.number("SELECT dateDiff('second', max(received_at), now()) FROM tocsin.alert_updates");
    on.say("the newest row is " + age + " s old");
    return age;
  }

  private static List<Latencies> follow(Stack stack, Marks marks, int seconds) throws Exception {
    marks.clear();
    try (LatencyRun run = new LatencyRun(stack, marks)) {
      run.send(seconds);
      return run.all();
    }
  }
}
