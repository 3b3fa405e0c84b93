package io.tocsin.correlation.alerts;

import java.util.List;

/**
 * Why an active alert pages nobody.
 *
 * @param kind of explanation
 * @param name of the storm's group, of the dependency, of the maintenance window or of the tree
 * @param explainedBy fingerprints of what is paged in its place; empty for maintenance
 */
public record Reason(Kind kind, String name, List<String> explainedBy) {
  /** Kinds of explanation. */
  public enum Kind {
    /** It is one of many that opened at once. */
    STORM,
    /** Every way to it is down. */
    DEPENDENCY,
    /** It is expected. */
    MAINTENANCE,
    /** It is under the top event of a fault tree. */
    TREE
  }

  static Reason storm(String group, String stormFingerprint) {
    return new Reason(Kind.STORM, group, List.of(stormFingerprint));
  }

  static Reason dependency(String name, List<String> upstreamFingerprints) {
    return new Reason(Kind.DEPENDENCY, name, upstreamFingerprints);
  }

  static Reason maintenance(String name) {
    return new Reason(Kind.MAINTENANCE, name, List.of());
  }

  static Reason tree(String name, String topFingerprint) {
    return new Reason(Kind.TREE, name, List.of(topFingerprint));
  }

  /** As in {@code Alert.cause}. */
  String cause() {
    return switch (kind) {
      case STORM -> "storm:" + explainedBy.get(0);
      case DEPENDENCY -> "dependency:" + String.join(",", explainedBy);
      case MAINTENANCE -> "maintenance:" + name;
      case TREE -> "tree:" + explainedBy.get(0);
    };
  }
}
