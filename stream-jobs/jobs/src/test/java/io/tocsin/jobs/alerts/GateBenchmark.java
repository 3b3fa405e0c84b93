package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.correlation.alerts.AlertMatcher;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * CPU time of the gate while many alerts are active: for each transition, and for what makes it
 * look at all of them. Flink's operator with its state, without network. Run by {@code make bench}.
 *
 * <p>An alert a second opens, of twenty sources, and none ends: no storm. Then one source has a
 * storm of a hundred, and a maintenance window that concerns a single alert is pushed, starts and
 * ends. Last, as many alerts open within a few seconds, each of a source and a class of check of
 * its own: two groups each, which are all remembered for three windows.
 */
public final class GateBenchmark {
  private static final int SOURCES = 20;
  private static final int STORM_MEMBERS = 100;
  private static final int FLOOD_SECONDS = 5;
  private static final int TICKS = 10;
  private static final Duration STORM_LASTS = Duration.ofSeconds(60);
  private static final Duration WATERMARK_EVERY = Duration.ofSeconds(10);

  private final Backend backend;
  private final int active;
  private final Instant lastOpening;
  private final MeasuredGate gate;

  private GateBenchmark(Backend backend, int active) throws Exception {
    this.backend = backend;
    this.active = active;
    lastOpening = NOON.plusSeconds(active);
    gate =
        new MeasuredGate(backend, StormLimits.DEFAULT, document -> Optional.of(window(document)));
  }

  /** Prints the costs for each state backend and number of active alerts. */
  public static void main(String[] args) throws Exception {
    for (Backend backend : Backend.values()) {
      for (int active : new int[] {1_000, 100_000}) {
        GateBenchmark benchmark = new GateBenchmark(backend, active);
        try {
          benchmark.run();
        } finally {
          benchmark.gate.close();
        }
      }
    }
  }

  private void run() throws Exception {
    measure("an opening", active, this::openAll);
    Instant storm = lastOpening.plusSeconds(30);
    measure("an opening in a storm", STORM_MEMBERS, () -> openStorm(storm));
    measure("an end in a storm", STORM_MEMBERS - 1, () -> endStorm(storm.plus(STORM_LASTS)));
    Instant calm = storm.plus(STORM_LASTS).plusSeconds(15);
    measure("the end of the storm", 1, () -> gate.advance(calm));
    measure("a window that is pushed", 1, this::pushWindow);
    measure("a window that starts", 1, () -> gate.advance(windowStart()));
    measure("a window that ends", 1, () -> gate.advance(windowStart().plusSeconds(60)));
    Instant flood = windowStart().plusSeconds(120);
    measure("an opening of its own", active, () -> flood(flood));
    measure("a tick after these", TICKS, () -> tick(flood.plusSeconds(FLOOD_SECONDS)));
    measure("all are forgotten", 1, () -> gate.advance(flood.plusSeconds(FLOOD_SECONDS + 31)));
  }

  private void measure(String what, int times, MeasuredGate.Work work) throws Exception {
    System.out.printf(
        "gate %-7s %,7d active: %-23s %,12.1f us%n",
        backend, active, what, gate.microsEach(times, work));
  }

  private void openAll() throws Exception {
    for (int i = 0; i < active; i++) {
      Instant time = NOON.plusSeconds(i);
      String group = Integer.toString(i % SOURCES);
      send("n" + i, "monitor-" + group, AlertState.ALERT_STATE_OPEN, time);
      if (i % WATERMARK_EVERY.toSeconds() == 0) {
        gate.advance(time);
      }
    }
  }

  private void openStorm(Instant time) throws Exception {
    for (int i = 0; i < STORM_MEMBERS; i++) {
      send("s" + i, "stormy", AlertState.ALERT_STATE_OPEN, time.plusMillis(i));
    }
  }

  /** One member outlives it. */
  private void endStorm(Instant time) throws Exception {
    for (int i = 1; i < STORM_MEMBERS; i++) {
      send("s" + i, "stormy", AlertState.ALERT_STATE_RESOLVED, time.plusMillis(i));
    }
  }

  private void flood(Instant time) throws Exception {
    for (int i = 0; i < active; i++) {
      Instant at = time.plusMillis(1_000L * FLOOD_SECONDS * i / active);
      send("f" + i, "monitor" + i, AlertState.ALERT_STATE_OPEN, at);
    }
  }

  private void tick(Instant time) throws Exception {
    for (int i = 1; i <= TICKS; i++) {
      gate.advance(time.plusSeconds(i));
    }
  }

  private void send(String device, String source, AlertState state, Instant time) throws Exception {
    gate.send(
        Alert.newBuilder()
            .setFingerprint(device + "@" + source)
            .setSource(source)
            .setDevice(device)
            .setCheck(source.replace("monitor", "node"))
            .setSummary("node down: no heartbeat for 30 s")
            .putLabels("rack", "b4"),
        state,
        time);
  }

  private Instant windowStart() {
    return lastOpening.plusSeconds(600);
  }

  private void pushWindow() throws Exception {
    gate.push("work", Long.toString(unixNanos(windowStart())));
    gate.takePushed();
  }

  /** These documents hold the start of work of a minute on the first device. */
  private static MaintenanceWindow window(RuleDocument document) {
    long start = Long.parseLong(document.getYaml());
    return new MaintenanceWindow(
        document.getName(),
        new AlertMatcher(Map.of("device", List.of("n0"))),
        start,
        start + Duration.ofSeconds(60).toNanos());
  }
}
