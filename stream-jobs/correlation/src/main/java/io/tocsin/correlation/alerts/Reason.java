package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.HeldBack;
import java.util.List;
import java.util.Locale;

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
    TREE;

    /** What a cause begins with. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
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

  /** Whether what was told is this reason, whichever alerts it named. */
  boolean isToldBy(HeldBack told) {
    String causeKind = told.getCause().substring(0, Math.max(0, told.getCause().indexOf(':')));
    return told.getName().equals(name) && causeKind.equals(kind.word());
  }

  /** As in {@code Alert.cause}. */
  String cause() {
    String what = kind == Kind.MAINTENANCE ? name : String.join(",", explainedBy);
    return kind.word() + ":" + what;
  }
}
