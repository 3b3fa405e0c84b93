package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A named top event that follows from alerts and other trees by gates. While it is true it is one
 * alert, and the alerts under it page nobody. While one more failure would make it true that no
 * failure would make true alone, its redundancy is lost, which is an alert of its own.
 *
 * @param name unique over all documents
 * @param top what makes it true
 * @param holdNanos how long that, or the loss of redundancy, must last before it is told
 * @param severity of the top event
 * @param redundancySeverity of the loss of redundancy; unspecified where it is not told
 * @param site of both alerts; empty for none
 * @param labels of both alerts
 * @param runbook of the top event: a file of grafana/runbooks without its ending, or a URL
 */
public record FaultTree(
    String name,
    TreeNode top,
    long holdNanos,
    Severity severity,
    Severity redundancySeverity,
    String site,
    Map<String, String> labels,
    String runbook)
    implements Policy {
  /** Leaves that a tree may have: looking for lost redundancy costs their square. */
  public static final int MAX_LEAVES = 256;

  /** Gates that may stand in one another. */
  public static final int MAX_DEPTH = 16;

  /** A tree of bounded size. */
  public FaultTree {
    Objects.requireNonNull(name);
    Objects.requireNonNull(severity);
    Objects.requireNonNull(redundancySeverity);
    labels = Map.copyOf(labels);
    int leaves = leavesOf(top).size();
    if (leaves > MAX_LEAVES || depthOf(top) > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "tree "
              + name
              + " has "
              + leaves
              + " leaves in "
              + depthOf(top)
              + " levels, and may have "
              + MAX_LEAVES
              + " in "
              + MAX_DEPTH
              + ": make trees of its parts and name them with 'tree:'");
    }
  }

  /** The leaves of a node from left to right; one that stands there twice comes twice. */
  public static List<TreeNode> leavesOf(TreeNode node) {
    List<TreeNode> leaves = new ArrayList<>();
    collectLeaves(node, leaves);
    return leaves;
  }

  private static void collectLeaves(TreeNode node, List<TreeNode> leaves) {
    if (node instanceof TreeNode.TreeGate gate) {
      gate.children().forEach(child -> collectLeaves(child, leaves));
    } else {
      leaves.add(node);
    }
  }

  private static int depthOf(TreeNode node) {
    return node instanceof TreeNode.TreeGate gate
        ? 1 + gate.children().stream().mapToInt(FaultTree::depthOf).max().orElse(0)
        : 1;
  }
}
