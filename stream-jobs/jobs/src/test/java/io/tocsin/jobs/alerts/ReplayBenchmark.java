package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import io.tocsin.rules.replay.AlertPath;
import io.tocsin.rules.replay.Comparison;
import io.tocsin.rules.replay.Replay;
import io.tocsin.rules.v1.RuleDocument;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * How long a replay of a million events takes, from their bytes to the pages that are others: the
 * rules that are shipped on both sides, so that each event is played twice. Run by {@code make
 * bench}.
 *
 * <p>Of twenty events fourteen are lines that no rule matches, two say that a link of one of 1,000
 * switches is down or up, and four are what a monitor says of 2,000 nodes, one in fifty of them
 * down. They lie 30 ms apart: a million are eight hours and twenty minutes.
 */
public final class ReplayBenchmark {
  private static final int EVENTS = 1_000_000;
  private static final int DEVICES = 1_000;
  private static final int NODES = 2_000;
  private static final int ROUNDS = 3;
  private static final long APART_NANOS = 30_000_000;
  private static final long START = unixNanos(NOON);
  private static final long END = START + EVENTS * APART_NANOS;

  private final Random random = new Random(20_261_124);

  private ReplayBenchmark() {}

  /** Prints the time of each round. */
  public static void main(String[] args) throws IOException {
    List<RuleDocument> rules = EventsBenchmark.rulesOf(Path.of("deploy/rules"));
    byte[][] events = new ReplayBenchmark().events();
    for (int round = 1; round <= ROUNDS; round++) {
      run(round, rules, events);
    }
  }

  private static void run(int round, List<RuleDocument> rules, byte[][] events)
      throws InvalidProtocolBufferException {
    CpuTime start = CpuTime.now();
    long startNanos = System.nanoTime();
    Replay replay = new Replay(AlertPath.Settings.DEFAULT, rules, rules, null, START);
    for (byte[] event : events) {
      replay.onEvent(Event.parseFrom(event));
    }
    replay.end(END);
    Comparison comparison =
        new Comparison(replay.before(), replay.after(), Map.of(), Map.of(), START, END);
    int differences = comparison.differences().size();
    double seconds = (System.nanoTime() - startNanos) / (double) Nanos.PER_SECOND;
    double cpuSeconds = CpuTime.now().since(start).processNanos() / (double) Nanos.PER_SECOND;
    System.out.printf(
        "replay round %d: %,d events, %,d pages, %d others: %.1f s, %.1f s of CPU time%n",
        round, replay.events(), comparison.pages(replay.after()), differences, seconds, cpuSeconds);
  }

  private byte[][] events() {
    byte[][] events = new byte[EVENTS][];
    for (int i = 0; i < EVENTS; i++) {
      int kind = i % 20;
      Event.Builder event =
          EventsBenchmark.message(i, "host" + random.nextInt(DEVICES), random).toBuilder();
      if (kind < 2) {
        link(event);
      } else if (kind < 6) {
        update(event);
      }
      long time = START + i * APART_NANOS;
      events[i] =
          event
              .clearRaw()
              .setReceivedAtUnixNanos(time)
              .setEventTimeUnixNanos(time)
              .build()
              .toByteArray();
    }
    return events;
  }

  private void link(Event.Builder event) {
    String state = random.nextBoolean() ? "down" : "up";
    event.setSyslog(
        Syslog.newBuilder()
            .setFacility(23)
            .setSeverity(3)
            .setAppName("LINK")
            .setMsgId("UPDOWN")
            .setMessage(
                "Interface GigabitEthernet0/"
                    + random.nextInt(48)
                    + ", changed state to "
                    + state));
  }

  private void update(Event.Builder event) {
    boolean isDown = random.nextInt(50) == 0;
    event
        .setDevice("node" + random.nextInt(NODES))
        .setAlertUpdate(
            AlertUpdate.newBuilder()
                .setAction(
                    isDown ? AlertUpdate.Action.ACTION_UPDATE : AlertUpdate.Action.ACTION_DELETE)
                .setSource("hyak")
                .setCheck("node")
                .setSummary("node does not answer")
                .setSeverity(isDown ? Severity.SEVERITY_MAJOR : Severity.SEVERITY_CLEARED));
  }
}
