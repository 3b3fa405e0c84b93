package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import io.tocsin.correlation.alerts.TreeNode.TreeGate;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Order of arrival cannot change what fault trees say. Random trees, trees under them, holds, and
 * lives of alerts, read in every order that keeps the order of each alert: each time all stands as
 * a plain evaluator has it that knows the end of every life and tries every set of inputs.
 */
class GateTreeOrderTest {
  private static final StormLimits NO_STORMS =
      new StormLimits(1_000, Duration.ofSeconds(10), Duration.ofSeconds(60));
  private static final int STORIES = 40;
  private static final int DEVICES = 4;
  private static final int MAX_STEPS = 6;
  private static final int END_SECOND = 300;

  /** More sets than these are not told. */
  private static final int TOLD_SETS = 4;

  private record Step(int device, boolean isOpen, Instant time) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 22, 333, 4_444})
  void everyOrderEndsAsThePlainEvaluatorHasIt(long seed) {
    Random random = new Random(seed);
    int tops = 0;
    for (int i = 0; i < STORIES; i++) {
      List<FaultTree> trees = trees(random);
      List<List<Step>> lives = lives(random);
      Plain plain = new Plain(trees, lives);
      List<List<Step>> orders = new ArrayList<>();
      collectOrders(lives, new int[lives.size()], new ArrayList<>(), orders);
      String name = "seed %d, story %d, %s".formatted(seed, i, trees);
      Map<String, String> active = plain.active();
      Map<String, Set<Set<String>>> cutSets = new TreeMap<>();
      plain.openTrees().forEach(tree -> cutSets.put(tree, plain.cutSets(tree)));
      for (List<Step> order : orders) {
        GateStory story = play(trees, order);
        assertThat(active(story)).as("%s: %s", name, order).isEqualTo(active);
        cutSets.forEach((tree, sets) -> checkCutSets(story, tree, sets, name));
      }
      tops += plain.openTrees().size();
    }
    assertThat(tops).isGreaterThan(STORIES / 4);
  }

  private static GateStory play(List<FaultTree> trees, List<Step> order) {
    GateStory story = new GateStory(NO_STORMS);
    story.policies(NOON, trees.toArray(Policy[]::new));
    for (Step step : order) {
      AlertState state =
          step.isOpen ? AlertState.ALERT_STATE_OPEN : AlertState.ALERT_STATE_RESOLVED;
      String transition = step.isOpen ? "OPENED" : "RESOLVED";
      // The stream has reached none of these times yet.
      story.take(
          GateStory.alert("d" + step.device, state, transition, step.time).build(),
          unixNanos(NOON));
    }
    return story.until(NOON.plusSeconds(END_SECOND));
  }

  private static Map<String, String> active(GateStory story) {
    Map<String, String> active = new TreeMap<>();
    for (Alert alert : story.latest().values()) {
      if (alert.getState() != AlertState.ALERT_STATE_RESOLVED) {
        boolean isTree = alert.getSource().equals("tree");
        String since = isTree ? " " + secondOf(alert.getFirstSeenUnixNanos()) : "";
        active.put(isTree ? alert.getCheck() : alert.getDevice(), alert.getState() + since);
      }
    }
    return active;
  }

  private static void checkCutSets(
      GateStory story, String tree, Set<Set<String>> sets, String name) {
    if (sets.size() <= TOLD_SETS) {
      assertThat(toldSets(story.latest(TreeAlerts.topFingerprint(tree)))).as(name).isEqualTo(sets);
    }
  }

  private static long secondOf(long unixNanos) {
    return (unixNanos - unixNanos(NOON)) / Nanos.PER_SECOND;
  }

  private static Set<Set<String>> toldSets(Alert top) {
    String told = top.getSummary().substring(top.getSummary().indexOf(": ") + 2);
    return Arrays.stream(told.split("; or: "))
        .map(set -> Set.of(set.replace(" node", "").split(" \\+ ")))
        .collect(Collectors.toSet());
  }

  private static void collectOrders(
      List<List<Step>> lives, int[] taken, List<Step> order, List<List<Step>> orders) {
    boolean isComplete = true;
    for (int i = 0; i < lives.size(); i++) {
      if (taken[i] < lives.get(i).size()) {
        isComplete = false;
        order.add(lives.get(i).get(taken[i]++));
        collectOrders(lives, taken, order, orders);
        order.remove(order.size() - 1);
        taken[i]--;
      }
    }
    if (isComplete) {
      orders.add(List.copyOf(order));
    }
  }

  private static List<List<Step>> lives(Random random) {
    List<List<Step>> lives = new ArrayList<>();
    for (int device = 0; device < DEVICES; device++) {
      List<Step> life = new ArrayList<>();
      int steps = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? 3 : 1);
      steps = Math.min(steps, MAX_STEPS - lives.stream().mapToInt(List::size).sum());
      int second = 0;
      for (int i = 0; i < steps; i++) {
        // Distinct times: at equal times the fingerprint decides which is named first.
        second += 5 * (1 + random.nextInt(6));
        life.add(new Step(device, i % 2 == 0, NOON.plusSeconds(second + device)));
      }
      lives.add(life);
    }
    return lives;
  }

  private static List<FaultTree> trees(Random random) {
    List<FaultTree> trees = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      trees.add(
          new FaultTree(
              "t" + i,
              node(random, i, 3),
              hold(random),
              Severity.SEVERITY_CRITICAL,
              Severity.SEVERITY_MINOR,
              "",
              Map.of(),
              ""));
    }
    return trees;
  }

  private static long hold(Random random) {
    return random.nextInt(3) == 0 ? (1 + random.nextInt(20)) * Nanos.PER_SECOND : 0;
  }

  private static TreeNode node(Random random, int trees, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return trees > 0 && random.nextInt(3) == 0
          ? new TreeLeaf("t" + random.nextInt(trees))
          : new AlertLeaf(
              "",
              new AlertMatcher(Map.of("device", List.of("d" + random.nextInt(DEVICES)))),
              Set.of());
    }
    Set<TreeNode> children = new LinkedHashSet<>();
    int wanted = 1 + random.nextInt(3);
    for (int i = 0; i < wanted; i++) {
      children.add(node(random, trees, depth - 1));
    }
    int atLeast = 1 + random.nextInt(children.size());
    return new TreeGate(atLeast, List.copyOf(children), hold(random));
  }

  /** By the ends of all lives; second by second, and set by set. */
  private static final class Plain {
    private final Map<String, FaultTree> trees = new TreeMap<>();

    /** Second since which an input is down, by its name. */
    private final Map<String, Integer> downSince = new TreeMap<>();

    Plain(List<FaultTree> trees, List<List<Step>> lives) {
      for (List<Step> life : lives) {
        if (life.size() % 2 == 1) {
          Step last = life.get(life.size() - 1);
          downSince.put("d" + last.device, (int) secondOf(unixNanos(last.time)));
        }
      }
      // Each is made of trees before it.
      for (FaultTree tree : trees) {
        this.trees.put(tree.name(), tree);
        for (int second = END_SECOND; second >= 0; second--) {
          if (isTop(tree, second, downSince)) {
            downSince.put(tree.name(), second);
          }
        }
      }
    }

    private static boolean isTop(FaultTree tree, int second, Map<String, Integer> downSince) {
      return isDown(tree.top(), second - seconds(tree.holdNanos()), downSince, true);
    }

    private static int seconds(long nanos) {
      return (int) (nanos / Nanos.PER_SECOND);
    }

    private static boolean isDown(
        TreeNode node, int second, Map<String, Integer> downSince, boolean holds) {
      if (node instanceof TreeGate gate) {
        int then = holds ? second - seconds(gate.holdNanos()) : second;
        return gate.children().stream()
                .filter(child -> isDown(child, then, downSince, holds))
                .count()
            >= gate.atLeast();
      }
      return downSince.getOrDefault(nameOf(node), Integer.MAX_VALUE) <= second;
    }

    private static String nameOf(TreeNode leaf) {
      return leaf instanceof TreeLeaf tree
          ? tree.tree()
          : ((AlertLeaf) leaf).alerts().words().substring("device ".length());
    }

    private static Set<String> inputs(FaultTree tree) {
      return FaultTree.leavesOf(tree.top()).stream().map(Plain::nameOf).collect(Collectors.toSet());
    }

    Set<String> openTrees() {
      return trees.keySet().stream().filter(downSince::containsKey).collect(Collectors.toSet());
    }

    Set<Set<String>> cutSets(String name) {
      FaultTree tree = trees.get(name);
      if (tree == null || !downSince.containsKey(name)) {
        return Set.of();
      }
      List<String> down = inputs(tree).stream().filter(downSince::containsKey).toList();
      Set<Set<String>> enough = new HashSet<>();
      for (int bits = 0; bits < 1 << down.size(); bits++) {
        Map<String, Integer> only = new TreeMap<>();
        for (int i = 0; i < down.size(); i++) {
          if ((bits >> i & 1) == 1) {
            only.put(down.get(i), downSince.get(down.get(i)));
          }
        }
        if (isTop(tree, END_SECOND, only)) {
          enough.add(only.keySet());
        }
      }
      return enough.stream()
          .filter(set -> enough.stream().noneMatch(other -> other != set && set.containsAll(other)))
          .collect(Collectors.toSet());
    }

    /** Second since which redundancy is lost; too late for ever where it is not. */
    private int redundancyLostAt(FaultTree tree) {
      int second = 0;
      while (second <= END_SECOND && !isOneAway(tree, second)) {
        second++;
      }
      return second + seconds(tree.holdNanos());
    }

    private boolean isOneAway(FaultTree tree, int second) {
      for (String input : inputs(tree)) {
        Map<String, Integer> others = new TreeMap<>(downSince);
        others.remove(input);
        Map<String, Integer> withIt = new TreeMap<>(others);
        withIt.put(input, Integer.MIN_VALUE);
        boolean isEnoughAlone = isDown(tree.top(), 0, Map.of(input, Integer.MIN_VALUE), false);
        if (!isEnoughAlone
            && !isDown(tree.top(), END_SECOND, others, false)
            && isDown(tree.top(), second, withIt, false)) {
          return true;
        }
      }
      return false;
    }

    /** What is active, as the test writes it. */
    Map<String, String> active() {
      Map<String, String> active = new TreeMap<>();
      for (String name : downSince.keySet()) {
        boolean isTree = trees.containsKey(name);
        String since = isTree ? " " + downSince.get(name) : "";
        active.put(name, stateUnder(name) + since);
      }
      for (FaultTree tree : trees.values()) {
        int lostAt = redundancyLostAt(tree);
        boolean hasSomethingDown = inputs(tree).stream().anyMatch(downSince::containsKey);
        if (!downSince.containsKey(tree.name()) && hasSomethingDown && lostAt <= END_SECOND) {
          active.put(tree.name() + "-redundancy", stateUnder(tree.name()) + " " + lostAt);
        }
      }
      return active;
    }

    private AlertState stateUnder(String name) {
      return isUnderATop(name) ? AlertState.ALERT_STATE_SUPPRESSED : AlertState.ALERT_STATE_OPEN;
    }

    private boolean isUnderATop(String name) {
      return trees.values().stream()
          .filter(tree -> inputs(tree).contains(name))
          .anyMatch(tree -> downSince.containsKey(tree.name()) || isUnderATop(tree.name()));
    }
  }
}
