package io.tocsin.correlation.alerts;

import java.util.List;
import java.util.Objects;

/**
 * Alerts that others explain: while every upstream is down, its dependents page nobody. An upstream
 * is down while any alert is active that its matcher matches.
 *
 * @param name unique over all documents
 * @param alerts the dependents
 * @param upstreams ways to the dependents; all of them must be down
 */
public record Dependency(String name, AlertMatcher alerts, List<AlertMatcher> upstreams)
    implements Policy {

  /** A dependency on at least one upstream. */
  public Dependency {
    Objects.requireNonNull(name);
    Objects.requireNonNull(alerts);
    upstreams = List.copyOf(upstreams);
    if (upstreams.isEmpty()) {
      throw new IllegalArgumentException(
          "dependency " + name + " names no upstream: give at least one");
    }
  }
}
