package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.FaultTree;
import io.tocsin.correlation.alerts.NodeStatus;
import io.tocsin.correlation.alerts.TreeStatus;
import io.tocsin.correlation.alerts.Trees;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Says where fault trees stand by the alerts that are open now.
 *
 * @param trees in force
 * @param open alerts
 * @param now that holds are measured by
 */
record TreeExplanation(List<FaultTree> trees, List<Alert> open, Instant now) {
  /** One line a tree: those that are down first, then those without redundancy. */
  void printAll(PrintWriter out) {
    out.printf("%-32s %-16s %-20s %s%n", "TREE", "STATE", "SINCE", "BY");
    statuses().stream()
        .sorted((one, other) -> Integer.compare(rank(one), rank(other)))
        .forEach(
            status ->
                out.printf(
                    "%-32s %-16s %-20s %s%n",
                    status.tree().name(),
                    state(status),
                    time(since(status)),
                    String.join(", ", status.downNames())));
  }

  /** A tree from its top event down. */
  void print(String name, PrintWriter out) {
    TreeStatus status =
        statuses().stream()
            .filter(each -> each.tree().name().equals(name))
            .findFirst()
            .orElseThrow();
    out.println(
        name
            + ": "
            + state(status)
            + (since(status) == TreeStatus.NEVER ? "" : " since " + time(since(status))));
    for (List<String> set : status.cutSets()) {
      out.println("  enough: " + String.join(" + ", set));
    }
    if (status.hasMoreCutSets()) {
      out.println("  and other sets");
    }
    for (NodeStatus node : Trees.nodes(trees, name, open, Nanos.of(now))) {
      String state =
          node.isDown()
              ? "down since " + time(node.downSince())
              : node.isNext() ? "up, and must not fail" : "up";
      out.println("  " + "  ".repeat(node.depth()) + node.title() + ": " + state);
    }
  }

  private List<TreeStatus> statuses() {
    return Trees.statuses(trees, open, Nanos.of(now));
  }

  private static int rank(TreeStatus status) {
    return status.isTop() ? 0 : status.isRedundancyLost() ? 1 : 2;
  }

  private static String state(TreeStatus status) {
    return List.of("down", "redundancy lost", "up").get(rank(status));
  }

  private static long since(TreeStatus status) {
    return status.isTop() ? status.topFrom() : status.redundancyLostFrom();
  }

  private static String time(long unixNanos) {
    return unixNanos == TreeStatus.NEVER
        ? ""
        : Nanos.toInstant(unixNanos).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
