package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.alerts.Storms.Beginning;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Decides which active alerts page by themselves. An alert is suppressed while it has a reason: it
 * belongs to a storm, every way to it is down, or work on it is planned. Suppressed is not lost: it
 * is told like any other, with its cause, and when its last reason ends while it is active, it is
 * told as unsuppressed and pages.
 *
 * <p>It takes every transition that the lives of the alerts make, in order for each alert, and
 * tells each of them, changed only in state, cause, storm and version. Signals that are only
 * counted never come here. Its clock is the version of what it takes, which is a time by the
 * agents' clock.
 *
 * <p>A reason that begins or ends is looked up for the alerts that it concerns; maintenance windows
 * and changed policies make it look at every active alert once.
 */
public final class Gate {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final GateState state;
  private final Storms storms;
  private Explanations explanations;

  /** Newest time that it was told of: policies are not judged by an older one. */
  private long clockUnixNanos = Long.MIN_VALUE;

  /**
   * A gate over what is remembered.
   *
   * @param policies that were in force when it was remembered
   */
  public Gate(StormLimits limits, GateState state, Collection<Policy> policies) {
    this.state = state;
    this.storms = new Storms(limits, state);
    this.explanations = explanationsBy(policies);
  }

  private Explanations explanationsBy(Collection<Policy> policies) {
    Explanations next = new Explanations(policies);
    if (!policies.isEmpty()) {
      for (Map.Entry<String, GatedAlert> entry : state.alerts()) {
        if (entry.getValue().isActive()) {
          next.add(entry.getValue().own());
        }
      }
    }
    return next;
  }

  /** Takes a transition in the life of an alert. */
  public GateStep onAlert(Alert alert) {
    GateStep step = new GateStep();
    long now = alert.getVersion();
    clockUnixNanos = Math.max(clockUnixNanos, now);
    String fingerprint = alert.getFingerprint();
    GatedAlert before = state.alert(fingerprint);
    boolean wasActive = before != null && before.isActive();
    GatedAlert after = GatedAlert.of(alert, before);
    if (after.isActive() && !wasActive) {
      onBegun(after, now, step);
    } else if (!after.isActive() && wasActive) {
      onEnded(after, now, step);
    } else if (after.isActive()) {
      state.putAlert(fingerprint, after);
      step.tell(after.told());
    } else {
      step.tell(after.told());
    }
    return step;
  }

  private void onBegun(GatedAlert begun, long now, GateStep step) {
    Alert alert = begun.own();
    String fingerprint = alert.getFingerprint();
    explanations.add(alert);
    List<Reason> policies = policiesOn(alert, List.of(), step);
    GatedAlert after = begun.explainedBy(begun.withPolicies(policies));
    if (begun.storm().isPresent()) {
      storms.onReopened(begun.storm().get(), now, step);
    } else if (policies.isEmpty()) {
      // Members are looked up in the state, this one among them.
      state.putAlert(fingerprint, after);
      Beginning storm = storms.onOpened(alert, now, step).orElse(null);
      if (storm != null) {
        storm.members().forEach(member -> join(member, storm.reason(), step));
        after = after.explainedBy(List.of(storm.reason()));
      }
    }
    state.putAlert(fingerprint, after);
    step.tell(after.told());
    reconsider(explanations.dependentsOf(fingerprint), step);
  }

  private void join(String fingerprint, Reason storm, GateStep step) {
    GatedAlert member = state.alert(fingerprint);
    if (member == null) {
      state.putAlert(fingerprint, GatedAlert.overBeforeItsStorm(storm));
    } else {
      List<Reason> reasons = new ArrayList<>(member.reasons());
      reasons.add(storm);
      change(fingerprint, member, reasons, step);
    }
  }

  private void onEnded(GatedAlert after, long now, GateStep step) {
    Alert alert = after.own();
    String fingerprint = alert.getFingerprint();
    step.tell(after.told());
    // A member of a storm that lasts stays known: it is no new one when it comes back.
    if (after.storm().isPresent()) {
      state.putAlert(fingerprint, after.explainedBy(List.of(after.storm().get())));
      storms.onClosed(after.storm().get(), now, step);
    } else {
      state.removeAlert(fingerprint);
    }
    Collection<String> dependents = explanations.dependentsOf(fingerprint);
    explanations.remove(fingerprint);
    reconsider(dependents, step);
  }

  /**
   * Takes the policies that are in force now, instead of those before.
   *
   * @param nowUnixNanos event time the stream has reached
   */
  public GateStep onPolicies(Collection<Policy> policies, long nowUnixNanos) {
    GateStep step = new GateStep();
    explanations = explanationsBy(policies);
    clockUnixNanos = Math.max(clockUnixNanos, nowUnixNanos);
    explanations.edgesAfter(clockUnixNanos).forEach(step::wakeAt);
    reconsider(activeAlerts(), step);
    return step;
  }

  /**
   * Takes a timer, at most a millisecond after the time that was asked for.
   *
   * @param nowUnixNanos event time the stream has reached
   */
  public GateStep onTimer(long nowUnixNanos) {
    GateStep step = new GateStep();
    clockUnixNanos = Math.max(clockUnixNanos, nowUnixNanos);
    storms.onTick(nowUnixNanos, step).forEach((storm, last) -> release(storm, last, step));
    if (explanations.isEdge(nowUnixNanos - NANOS_PER_MILLI, nowUnixNanos)) {
      reconsider(activeAlerts(), step);
    }
    return step;
  }

  /** A storm is over: what outlives it pages, and what does not is forgotten. */
  private void release(String storm, Alert last, GateStep step) {
    List<Map.Entry<String, GatedAlert>> members = new ArrayList<>();
    for (Map.Entry<String, GatedAlert> entry : state.alerts()) {
      if (entry.getValue().storm().filter(reason -> reason.name().equals(storm)).isPresent()) {
        members.add(Map.entry(entry.getKey(), entry.getValue()));
      }
    }
    for (Map.Entry<String, GatedAlert> member : members) {
      if (member.getValue().isActive()) {
        change(member.getKey(), member.getValue(), member.getValue().withoutStorm(), step);
      } else {
        state.removeAlert(member.getKey());
      }
    }
    step.tell(last);
  }

  private List<String> activeAlerts() {
    List<String> active = new ArrayList<>();
    for (Map.Entry<String, GatedAlert> entry : state.alerts()) {
      if (entry.getValue().isActive()) {
        active.add(entry.getKey());
      }
    }
    return active;
  }

  private void reconsider(Collection<String> fingerprints, GateStep step) {
    for (String fingerprint : fingerprints) {
      GatedAlert alert = state.alert(fingerprint);
      List<Reason> policies = policiesOn(alert.own(), alert.reasons(), step);
      change(fingerprint, alert, alert.withPolicies(policies), step);
    }
  }

  private List<Reason> policiesOn(Alert alert, List<Reason> before, GateStep step) {
    List<Reason> reasons = explanations.reasonsFor(alert, clockUnixNanos, before, this::reasonsOf);
    explanations.endsOf(reasons).forEach(step::wakeAt);
    return reasons;
  }

  private List<Reason> reasonsOf(String fingerprint) {
    GatedAlert alert = state.alert(fingerprint);
    return alert == null ? List.of() : alert.reasons();
  }

  /** Gives an active alert other reasons, and tells it if that changes anything. */
  private void change(String fingerprint, GatedAlert before, List<Reason> reasons, GateStep step) {
    if (reasons.equals(before.reasons())) {
      return;
    }
    GatedAlert after = before.explainedBy(reasons).nextVersion();
    state.putAlert(fingerprint, after);
    step.tell(
        after.told(
            after.isSuppressed()
                ? AlertTransition.ALERT_TRANSITION_SUPPRESSED
                : AlertTransition.ALERT_TRANSITION_UNSUPPRESSED));
  }
}
