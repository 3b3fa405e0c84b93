package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Severity;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A part of a {@link FaultTree}: what may be down, and gates over it. */
public sealed interface TreeNode {

  /**
   * Down while an alert is active that is meant. Alerts of trees are none of these.
   *
   * @param name what people call it; empty where the matcher says enough
   * @param alerts that are meant
   * @param severities that count; empty for any
   */
  record AlertLeaf(String name, AlertMatcher alerts, Set<Severity> severities) implements TreeNode {
    /** A leaf. */
    public AlertLeaf {
      Objects.requireNonNull(name);
      Objects.requireNonNull(alerts);
      severities = Set.copyOf(severities);
    }

    boolean matches(Alert alert) {
      return (severities.isEmpty() || severities.contains(alert.getSeverity()))
          && alerts.matches(alert);
    }

    /** Since when an active alert that matches counts: from when it was as bad as is asked for. */
    long since(Alert alert) {
      return severities.isEmpty() ? alert.getOpenedAtUnixNanos() : alert.getWorseSinceUnixNanos();
    }

    /** As people read it. */
    String title() {
      return name.isEmpty() ? alerts.words() : name;
    }
  }

  /** Down while the top event of another tree is true. */
  record TreeLeaf(String tree) implements TreeNode {
    /** A leaf. */
    public TreeLeaf {
      Objects.requireNonNull(tree);
    }
  }

  /**
   * Down while so many of its children are: 1 is OR, all of them is AND.
   *
   * @param atLeast children
   * @param children of which none is the same as another
   * @param holdNanos how long that must have been so
   */
  record TreeGate(int atLeast, List<TreeNode> children, long holdNanos) implements TreeNode {
    /** A gate that can be true, and is not true by itself. */
    public TreeGate {
      children = List.copyOf(children);
      if (atLeast < 1 || atLeast > children.size()) {
        throw new IllegalArgumentException(
            "a gate wants "
                + atLeast
                + " of "
                + children.size()
                + ": give a number from 1 to "
                + children.size());
      }
    }
  }
}
