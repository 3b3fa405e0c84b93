package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.alerts.AlertMatcher;
import io.tocsin.correlation.alerts.FaultTree;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.TreeNode;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import io.tocsin.correlation.alerts.TreeNode.TreeGate;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * CPU time of the gate with fault trees over many active alerts: what an alert of a tree costs,
 * with few trees and with many. Flink's operator with its state, without network. Run by {@code
 * make bench}.
 *
 * <p>A tree is an array of twelve disks with a spare; every tenth also hangs on the one before it.
 * All alerts but two of a hundred trees are of no tree.
 */
public final class TreesBenchmark {
  private static final int DISKS = 12;
  private static final int ACTIVE = 100_000;
  private static final int CHANGED_TREES = 100;
  private static final StormLimits NO_STORMS =
      new StormLimits(1_000_000, Duration.ofSeconds(10), Duration.ofSeconds(60));

  private final Backend backend;
  private final int trees;
  private final MeasuredGate gate;
  private Instant now = NOON;

  private TreesBenchmark(Backend backend, int trees) throws Exception {
    this.backend = backend;
    this.trees = trees;
    gate = new MeasuredGate(backend, NO_STORMS, document -> Optional.of(tree(document)));
  }

  /** Prints the costs for each state backend and number of trees. */
  public static void main(String[] args) throws Exception {
    for (Backend backend : Backend.values()) {
      for (int trees : new int[] {100, 10_000}) {
        TreesBenchmark benchmark = new TreesBenchmark(backend, trees);
        try {
          benchmark.run();
        } finally {
          benchmark.gate.close();
        }
      }
    }
  }

  private void run() throws Exception {
    for (int i = 0; i < ACTIVE; i++) {
      send("other" + i, AlertState.ALERT_STATE_OPEN);
    }
    measure("all trees are pushed", 1, this::push);
    measure("an alert of no tree", ACTIVE / 10, this::others);
    measure("the first disk of a tree", CHANGED_TREES, () -> disks(1, true));
    measure("the second, which is enough", CHANGED_TREES, () -> disks(2, true));
    measure("the second is back", CHANGED_TREES, () -> disks(2, false));
    measure("the first is back", CHANGED_TREES, () -> disks(1, false));
  }

  private void measure(String what, int times, MeasuredGate.Work work) throws Exception {
    System.out.printf(
        "trees %-7s %,7d trees, %,7d active: %-28s %,12.1f us%n",
        backend, trees, ACTIVE, what, gate.microsEach(times, work));
  }

  private void push() throws Exception {
    for (int i = 0; i < trees; i++) {
      gate.push("array" + i, Integer.toString(i));
    }
    gate.takePushed();
  }

  private void others() throws Exception {
    for (int i = 0; i < ACTIVE / 10; i++) {
      send("another" + i, AlertState.ALERT_STATE_OPEN);
    }
  }

  private void disks(int disk, boolean isOpen) throws Exception {
    for (int i = 0; i < CHANGED_TREES; i++) {
      send(
          "a" + i + "d" + disk,
          isOpen ? AlertState.ALERT_STATE_OPEN : AlertState.ALERT_STATE_RESOLVED);
    }
  }

  private void send(String device, AlertState state) throws Exception {
    now = now.plusMillis(100);
    gate.send(
        Alert.newBuilder()
            .setFingerprint(device)
            .setSource("monitor")
            .setDevice(device)
            .setCheck("disk")
            .setSummary("disk failed"),
        state,
        now);
    gate.advance(now);
  }

  /** These documents hold the number of an array. */
  private static FaultTree tree(RuleDocument document) {
    int number = Integer.parseInt(document.getYaml());
    List<TreeNode> disks = new ArrayList<>();
    for (int disk = 0; disk < DISKS; disk++) {
      Map<String, List<String>> fields =
          Map.of("device", List.of("a" + number + "d" + disk), "check", List.of("disk"));
      disks.add(new AlertLeaf("", new AlertMatcher(fields), Set.of()));
    }
    TreeNode array = new TreeGate(2, disks, 0);
    return new FaultTree(
        document.getName(),
        number % 10 == 9
            ? new TreeGate(1, List.of(array, new TreeLeaf("array" + (number - 1))), 0)
            : array,
        0,
        Severity.SEVERITY_CRITICAL,
        Severity.SEVERITY_MINOR,
        "",
        Map.of(),
        "");
  }
}
