package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Nanos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After any crash the world ends where a run without the crash ends. Over random signals on several
 * partitions (late, repeated, expiring, flapping), storms, dependencies, fault trees and
 * maintenance, read in random order, with crashes that go back to an earlier checkpoint and with
 * words that were made and never sent:
 *
 * <ul>
 *   <li>the topic's last word of every alert is what the gate holds, and over where it holds
 *       nothing; a storm, or an alert of a tree, that is over is forgotten there;
 *   <li>the same alerts are active as in a run without crashes, and as the signals say;
 *   <li>the pager rings for each alert that pages, and for no other.
 * </ul>
 */
class RecoveryTest {
  private static final StormLimits LIMITS =
      new StormLimits(4, Duration.ofSeconds(10), Duration.ofSeconds(60));
  private static final AlertTiming TIMING =
      new AlertTiming(
          Duration.ofSeconds(20),
          Duration.ofDays(30),
          3,
          Duration.ofMinutes(5),
          Duration.ofMinutes(5));
  private static final int STORIES_PER_SEED = 100;
  private static final int STORIES_WITHOUT_CHECKPOINTS = 20;
  private static final int DEVICES = 10;
  private static final int SIGNALS = 60;
  private static final int MAX_TREES = 2;
  private static final Set<String> TREE_ALERTS =
      IntStream.range(0, MAX_TREES)
          .mapToObj(i -> "tree" + i)
          .flatMap(
              name ->
                  Stream.of(
                      TreeAlerts.topFingerprint(name), TreeAlerts.redundancyFingerprint(name)))
          .collect(Collectors.toSet());

  @ParameterizedTest
  @ValueSource(longs = {1, 22, 333, 4_444, 55_555})
  void worldEndsWhereTheRunWithoutCrashesEnds(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STORIES_PER_SEED; i++) {
      check(random, true, "seed %d, story %d".formatted(seed, i));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {6, 77, 888, 9_999})
  void worldEndsThereAlsoWhereAllCrashesComeBeforeTheFirstCheckpoint(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STORIES_WITHOUT_CHECKPOINTS; i++) {
      check(random, false, "seed %d, story %d".formatted(seed, i));
    }
  }

  private static void check(Random random, boolean keepsCheckpoints, String name) {
    int partitionCount = 1 + random.nextInt(4);
    List<List<Signal>> partitions = partitions(random, partitionCount);
    List<Policy> policies = policies(random);
    CrashStory crashed = new CrashStory(random, LIMITS, TIMING, policies, partitions);
    if (!keepsCheckpoints) {
      crashed.withoutCheckpoints();
    }
    crashed.play(1 + random.nextInt(3));
    CrashStory undisturbed = new CrashStory(random, LIMITS, TIMING, policies, partitions);
    undisturbed.play(0);

    Map<String, AlertState> held = crashed.heldStates();
    Map<String, AlertState> topic = crashed.topicStates();
    topic.values().removeIf(state -> !isActive(state));
    assertThat(topic).as("%s: topic and gate: %s", name, crashed).isEqualTo(held);
    assertThat(crashed.ownAlertsThatAreOver()).as("%s: forgotten", name).isEmpty();
    assertThat(held.keySet()).as("%s: open", name).isEqualTo(undisturbed.heldStates().keySet());
    Set<String> heldOfSignals = new TreeSet<>(held.keySet());
    heldOfSignals.removeAll(TREE_ALERTS);
    assertThat(heldOfSignals).as("%s: as signals say", name).isEqualTo(raised(partitions));
    assertThat(crashed.paged())
        .as("%s: paged: %s", name, crashed)
        .isEqualTo(
            held.keySet().stream()
                .filter(alert -> held.get(alert) != AlertState.ALERT_STATE_SUPPRESSED)
                .collect(Collectors.toSet()));
  }

  private static boolean isActive(AlertState state) {
    return state != AlertState.ALERT_STATE_RESOLVED && state != AlertState.ALERT_STATE_EXPIRED;
  }

  /** Whose newest signal is a raise that does not expire. Few enough that no storm lasts. */
  private static Set<String> raised(List<List<Signal>> partitions) {
    Map<String, Signal> newest = new TreeMap<>();
    partitions.stream()
        .flatMap(List::stream)
        .forEach(
            signal ->
                newest.merge(
                    Fingerprint.of(signal),
                    signal,
                    (a, b) -> a.getEventTimeUnixNanos() >= b.getEventTimeUnixNanos() ? a : b));
    Set<String> raised = new TreeSet<>();
    newest.forEach(
        (fingerprint, signal) -> {
          if (signal.getKind() == Signal.Kind.KIND_RAISE && signal.getExpiresAfterSeconds() == 0) {
            raised.add(fingerprint);
          }
        });
    return raised;
  }

  private static List<List<Signal>> partitions(Random random, int count) {
    List<List<Signal>> partitions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      partitions.add(new ArrayList<>());
    }
    long now = unixNanos(NOON);
    for (int i = 0; i < SIGNALS; i++) {
      now += random.nextInt(random.nextInt(4) == 0 ? 8_000 : 300) * Nanos.PER_MILLI + 1;
      Signal signal = signal(random, i, now);
      partitions.get(random.nextInt(count)).add(signal);
      if (random.nextInt(12) == 0) {
        partitions.get(random.nextInt(count)).add(signal);
      }
    }
    // Most of them end, so that no storm is left.
    for (int device = 0; device < DEVICES - LIMITS.few(); device++) {
      now += 1_000 * Nanos.PER_MILLI;
      Signal clear =
          signal(random, SIGNALS + device, now).toBuilder()
              .setKind(Signal.Kind.KIND_CLEAR)
              .putFingerprintFields("device", "d" + device)
              .setDevice("d" + device)
              .setEventTimeUnixNanos(now)
              .build();
      partitions.get(random.nextInt(count)).add(clear);
    }
    return partitions;
  }

  /** Event times are distinct: at equal times the order of arrival decides. */
  private static Signal signal(Random random, int number, long receivedAt) {
    String device = "d" + random.nextInt(DEVICES);
    boolean isRaise = random.nextInt(5) < 3;
    long late = random.nextInt(4) == 0 ? random.nextInt(4_000) * Nanos.PER_MILLI : 0;
    return Signal.newBuilder()
        .setKind(isRaise ? Signal.Kind.KIND_RAISE : Signal.Kind.KIND_CLEAR)
        .putFingerprintFields("source", "hyak")
        .putFingerprintFields("device", device)
        .setSeverity(random.nextInt(4) == 0 ? Severity.SEVERITY_CRITICAL : Severity.SEVERITY_MAJOR)
        .setSource("hyak")
        .setDevice(device)
        .setCheck("node")
        .setEventTimeUnixNanos(receivedAt - late - number)
        .setReceivedAtUnixNanos(receivedAt)
        .setEventId("event " + number)
        .setExpiresAfterSeconds(random.nextInt(4) == 0 ? 5 + random.nextInt(30) : 0)
        .build();
  }

  private static List<Policy> policies(Random random) {
    List<Policy> policies = new ArrayList<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      policies.add(new Dependency("dependency" + i, devices(random), List.of(devices(random))));
    }
    for (int i = 0; i < random.nextInt(3); i++) {
      long start = unixNanos(NOON) + random.nextInt(60) * Nanos.PER_SECOND;
      long end = start + (1 + random.nextInt(60)) * Nanos.PER_SECOND;
      policies.add(new MaintenanceWindow("work" + i, devices(random), start, end));
    }
    for (int i = 0; i < random.nextInt(MAX_TREES + 1); i++) {
      policies.add(tree(random, "tree" + i));
    }
    return policies;
  }

  private static FaultTree tree(Random random, String name) {
    Set<TreeNode> children = new LinkedHashSet<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      children.add(new TreeNode.AlertLeaf("", devices(random), Set.of()));
    }
    int atLeast = 1 + random.nextInt(children.size());
    return new FaultTree(
        name,
        new TreeNode.TreeGate(atLeast, List.copyOf(children), 0),
        random.nextInt(5) * Nanos.PER_SECOND,
        Severity.SEVERITY_CRITICAL,
        Severity.SEVERITY_MINOR,
        "",
        Map.of(),
        "");
  }

  private static AlertMatcher devices(Random random) {
    List<String> devices = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      devices.add("d" + random.nextInt(DEVICES));
    }
    return new AlertMatcher(Map.of("device", devices));
  }
}
