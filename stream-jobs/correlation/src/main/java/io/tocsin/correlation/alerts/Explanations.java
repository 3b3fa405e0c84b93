package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.Reason.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What policies say about the alerts that are active now. Holds the fingerprints that some policy
 * concerns, and nothing of the others.
 *
 * <p>An alert is never explained by one that it explains itself, over any number of steps: of
 * alerts in a circle, one pages.
 */
final class Explanations {
  private final List<MaintenanceWindow> windows = new ArrayList<>();
  private final List<Watched> dependencies = new ArrayList<>();

  /** A dependency with the active alerts that it concerns. */
  private record Watched(
      Dependency dependency, Set<String> dependents, List<Set<String>> upstreams) {
    static Watched of(Dependency dependency) {
      List<Set<String>> upstreams = new ArrayList<>();
      dependency.upstreams().forEach(upstream -> upstreams.add(new LinkedHashSet<>()));
      return new Watched(dependency, new LinkedHashSet<>(), upstreams);
    }
  }

  Explanations(Collection<Policy> policies) {
    for (Policy policy : policies) {
      if (policy instanceof MaintenanceWindow window) {
        windows.add(window);
      } else if (policy instanceof Dependency dependency) {
        dependencies.add(Watched.of(dependency));
      }
    }
  }

  /** An alert is active. */
  void add(Alert alert) {
    for (Watched watched : dependencies) {
      if (watched.dependency.alerts().matches(alert)) {
        watched.dependents.add(alert.getFingerprint());
      }
      for (int i = 0; i < watched.upstreams.size(); i++) {
        if (watched.dependency.upstreams().get(i).matches(alert)) {
          watched.upstreams.get(i).add(alert.getFingerprint());
        }
      }
    }
  }

  /** Alerts whose explanation may change when this one begins or ends. */
  Set<String> dependentsOf(String fingerprint) {
    Set<String> affected = new LinkedHashSet<>();
    for (Watched watched : dependencies) {
      if (watched.upstreams.stream().anyMatch(upstream -> upstream.contains(fingerprint))) {
        affected.addAll(watched.dependents);
      }
    }
    affected.remove(fingerprint);
    return affected;
  }

  /** An alert is over. */
  void remove(String fingerprint) {
    for (Watched watched : dependencies) {
      watched.dependents.remove(fingerprint);
      watched.upstreams.forEach(upstream -> upstream.remove(fingerprint));
    }
  }

  /**
   * Why an active alert pages nobody, as far as policies say.
   *
   * @param before reasons that it had, which stay if they can
   * @param reasonsOf reasons of any active alert
   */
  List<Reason> reasonsFor(
      Alert alert, long now, List<Reason> before, Function<String, List<Reason>> reasonsOf) {
    List<Reason> reasons = new ArrayList<>();
    for (MaintenanceWindow window : windows) {
      if (window.occurrences().isOnAt(now) && window.alerts().matches(alert)) {
        reasons.add(Reason.maintenance(window.name()));
      }
    }
    for (Watched watched : dependencies) {
      if (watched.dependents.contains(alert.getFingerprint())) {
        reasonFrom(watched, alert.getFingerprint(), before, reasonsOf).ifPresent(reasons::add);
      }
    }
    return reasons;
  }

  private static Optional<Reason> reasonFrom(
      Watched watched,
      String fingerprint,
      List<Reason> before,
      Function<String, List<Reason>> reasonsOf) {
    List<String> explaining = new ArrayList<>();
    for (int i = 0; i < watched.upstreams.size(); i++) {
      Set<String> active = watched.upstreams.get(i);
      Optional<String> known =
          before.stream()
              .filter(reason -> reason.name().equals(watched.dependency.name()))
              .flatMap(reason -> reason.explainedBy().stream())
              .filter(active::contains)
              .findFirst();
      Optional<String> down =
          known.or(
              () ->
                  active.stream()
                      .filter(other -> !isExplainedBy(other, fingerprint, reasonsOf))
                      .findFirst());
      if (down.isEmpty()) {
        return Optional.empty();
      }
      explaining.add(down.get());
    }
    return Optional.of(Reason.dependency(watched.dependency.name(), explaining));
  }

  /** Whether an alert is explained by another, over any number of steps. */
  static boolean isExplainedBy(
      String fingerprint, String other, Function<String, List<Reason>> reasonsOf) {
    Set<String> seen = new HashSet<>();
    List<String> next = new ArrayList<>(List.of(fingerprint));
    while (!next.isEmpty()) {
      String current = next.remove(next.size() - 1);
      if (current.equals(other)) {
        return true;
      }
      if (seen.add(current)) {
        reasonsOf.apply(current).stream()
            .filter(reason -> reason.kind() == Kind.DEPENDENCY || reason.kind() == Kind.TREE)
            .forEach(reason -> next.addAll(reason.explainedBy()));
      }
    }
    return false;
  }

  /** When the reasons that maintenance gives must be looked at again. */
  long nextEdgeAfter(long now) {
    return windows.stream()
        .mapToLong(window -> window.occurrences().nextEdgeAfter(now))
        .min()
        .orElse(Step.NO_TIMER);
  }
}
