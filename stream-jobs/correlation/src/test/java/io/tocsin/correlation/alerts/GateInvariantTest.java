package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Suppressed never means lost. Over random lives of alerts, storms, dependencies (circles among
 * them), fault trees, maintenance windows, changed policies, restarts and openings that are late:
 *
 * <ul>
 *   <li>at every moment, whatever suppresses an alert is active itself and leads to something that
 *       pages, or is planned work that goes on;
 *   <li>when every reason is over, each alert is told as its life has it;
 *   <li>versions of one alert only grow;
 *   <li>nothing is left when all is over.
 * </ul>
 */
class GateInvariantTest {
  private static final StormLimits LIMITS =
      new StormLimits(4, Duration.ofSeconds(10), Duration.ofSeconds(60));
  private static final int STORIES_PER_SEED = 150;
  private static final int STEPS = 120;
  private static final int DEVICES = 14;
  private static final Duration LONG_AFTER = Duration.ofDays(1);

  @ParameterizedTest
  @ValueSource(longs = {1, 22, 333, 4_444})
  void everySuppressedAlertThatIsStillOpenIsPagedWhenItsReasonEnds(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STORIES_PER_SEED; i++) {
      new Run(random, "seed %d, story %d".formatted(seed, i)).play();
    }
  }

  private static final class Run {
    private final Random random;
    private final String name;
    private final GateStory story = new GateStory(LIMITS);
    private final Map<String, AlertState> lives = new HashMap<>();
    private final Map<String, Long> versions = new HashMap<>();
    private final Map<String, Long> toldVersions = new HashMap<>();
    private List<Policy> policies = List.of();
    private Instant now = NOON;
    private int checked;

    Run(Random random, String name) {
      this.random = random;
      this.name = name;
    }

    void play() {
      for (int step = 0; step < STEPS; step++) {
        now = now.plusMillis(random.nextInt(3) == 0 ? random.nextInt(8_000) : random.nextInt(300));
        step();
        check();
      }
      endReasons();
      for (String device : lives.keySet()) {
        if (isActive(lives.get(device))) {
          close(device, now);
        }
      }
      story.until(now.plus(LONG_AFTER));
      assertThat(story.state().isEmpty()).as(name).isTrue();
      assertThat(story.timers()).as(name).isEmpty();
    }

    private void step() {
      String device = "d" + random.nextInt(DEVICES);
      Instant time = random.nextInt(5) == 0 ? now.minusMillis(random.nextInt(4_000)) : now;
      switch (random.nextInt(12)) {
        case 0 -> story.until(now);
        case 1 -> changePolicies();
        case 2 -> story.restart();
        case 3, 4, 5 -> {
          if (isActive(lives.get(device))) {
            close(device, time);
          }
        }
        default -> {
          boolean flaps = random.nextInt(6) == 0;
          if (isActive(lives.get(device))) {
            story.refresh(device, later(device, time));
            lives.put(device, AlertState.ALERT_STATE_OPEN);
          } else if (flaps) {
            story.flap(device, later(device, time));
            lives.put(device, AlertState.ALERT_STATE_FLAPPING);
          } else {
            story.open(device, later(device, time));
            lives.put(device, AlertState.ALERT_STATE_OPEN);
          }
        }
      }
    }

    private void close(String device, Instant time) {
      story.close(device, later(device, time));
      lives.put(device, AlertState.ALERT_STATE_RESOLVED);
    }

    /** The life of one alert gives growing versions, whatever the order of its signals. */
    private Instant later(String device, Instant time) {
      long version =
          Math.max(
              unixNanos(time), versions.getOrDefault(device, 0L) + TrackedAlert.VERSION_STRIDE);
      versions.put(device, version);
      return Instant.ofEpochSecond(0, version);
    }

    private void changePolicies() {
      List<Policy> next = new ArrayList<>();
      for (int i = 0; i < random.nextInt(5); i++) {
        next.add(
            new Dependency(
                "dependency" + i,
                devices(),
                random.nextBoolean() ? List.of(devices()) : List.of(devices(), devices())));
      }
      for (int i = 0; i < random.nextInt(3); i++) {
        Instant start = now.plusMillis(random.nextInt(20_000) - 10_000);
        Instant end = start.plusMillis(1 + random.nextInt(20_000));
        next.add(new MaintenanceWindow("work" + i, devices(), unixNanos(start), unixNanos(end)));
      }
      for (int i = 0; i < random.nextInt(3); i++) {
        next.add(tree("tree" + i, i));
      }
      if (random.nextInt(3) == 0) {
        AlertMatcher ofTrees = new AlertMatcher(Map.of("source", List.of("tree")));
        next.add(new Dependency("of-trees", ofTrees, List.of(devices())));
      }
      policies = next;
      story.policies(now, next.toArray(Policy[]::new));
    }

    /** Of leaves that may be the same, and of a tree before it. */
    private FaultTree tree(String treeName, int treesBefore) {
      Set<TreeNode> children = new LinkedHashSet<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        children.add(new TreeNode.AlertLeaf("", devices(), Set.of()));
      }
      if (treesBefore > 0 && random.nextBoolean()) {
        children.add(new TreeNode.TreeLeaf("tree" + random.nextInt(treesBefore)));
      }
      int atLeast = 1 + random.nextInt(children.size());
      return new FaultTree(
          treeName,
          new TreeNode.TreeGate(atLeast, List.copyOf(children), 0),
          Duration.ofSeconds(random.nextInt(3)).toNanos(),
          Severity.SEVERITY_CRITICAL,
          Severity.SEVERITY_MINOR,
          "",
          Map.of(),
          "");
    }

    private AlertMatcher devices() {
      List<String> devices = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        devices.add("d" + random.nextInt(DEVICES));
      }
      return new AlertMatcher(Map.of("device", devices));
    }

    private void endReasons() {
      story.policies(now);
      // Fewer than half a storm: what is left must page by itself.
      List<String> active = lives.keySet().stream().filter(d -> isActive(lives.get(d))).toList();
      active.stream().skip(LIMITS.few()).forEach(device -> close(device, now));
      now = now.plusSeconds(120);
      story.until(now);
      check();
      Map<String, Alert> latest = story.latest();
      lives.forEach(
          (device, state) ->
              assertThat(latest.get(device).getState())
                  .as("%s: %s", name, device)
                  .isEqualTo(state));
    }

    private void check() {
      Map<String, Alert> latest = story.latest();
      for (String device : lives.keySet()) {
        Alert alert = latest.get(device);
        if (alert.getState() == AlertState.ALERT_STATE_SUPPRESSED) {
          assertThatItIsExplained(alert, latest, new HashSet<>());
        } else {
          assertThat(alert.getState()).as("%s: %s", name, device).isEqualTo(lives.get(device));
        }
      }
      List<Alert> news = story.decisions().subList(checked, story.decisions().size());
      for (Alert alert : news) {
        Long before = toldVersions.put(alert.getFingerprint(), alert.getVersion());
        assertThat(before == null || before < alert.getVersion()).as(name).isTrue();
      }
      checked = story.decisions().size();
    }

    private void assertThatItIsExplained(Alert alert, Map<String, Alert> latest, Set<String> seen) {
      assertThat(seen.add(alert.getFingerprint())).as("%s: a circle of %s", name, seen).isTrue();
      String[] cause = alert.getCause().split(":", 2);
      switch (cause[0]) {
        case "storm" ->
            assertThat(latest.get(cause[1]).getState())
                .as("%s: storm of %s", name, alert.getFingerprint())
                .isEqualTo(AlertState.ALERT_STATE_OPEN);
        case "maintenance" ->
            assertThat(policies).as(name).extracting(Policy::name).contains(cause[1]);
        case "dependency" -> {
          for (String upstream : cause[1].split(",")) {
            Alert up = latest.get(upstream);
            assertThat(isActive(lives.get(upstream))).as("%s: %s", name, upstream).isTrue();
            if (up.getState() == AlertState.ALERT_STATE_SUPPRESSED) {
              assertThatItIsExplained(up, latest, new HashSet<>(seen));
            }
          }
        }
        case "tree" -> {
          Alert top = latest.get(cause[1]);
          assertThat(top.getState())
              .as("%s: %s", name, cause[1])
              .isIn(AlertState.ALERT_STATE_OPEN, AlertState.ALERT_STATE_SUPPRESSED);
          if (top.getState() == AlertState.ALERT_STATE_SUPPRESSED) {
            assertThatItIsExplained(top, latest, new HashSet<>(seen));
          }
        }
        default -> throw new AssertionError(name + ": no cause of " + alert);
      }
    }

    private static boolean isActive(AlertState state) {
      return state == AlertState.ALERT_STATE_OPEN || state == AlertState.ALERT_STATE_FLAPPING;
    }
  }
}
