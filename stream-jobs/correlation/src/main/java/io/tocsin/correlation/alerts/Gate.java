package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.Storms.Beginning;
import io.tocsin.model.Heartbeat;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which active alerts page by themselves. An alert is suppressed while it has a reason: it
 * belongs to a storm, every way to it is down, a fault tree has it under its top event, or work on
 * it is planned. Suppressed is not lost: it is told like any other, with its cause, and when its
 * last reason ends while it is active, it is told as unsuppressed and pages.
 *
 * <p>It takes every transition that the alert rules make, in order for each alert, and tells each
 * of them, changed only in state, cause, storm and version. Signals that are only counted never
 * come here. Its clock is the event time that the stream has reached, kept in its state. An alert
 * may be ahead of it and is judged by its own time, which moves nothing for others.
 *
 * <p>What it tells comes back to it from the topic, in the topic's order. After a failure the topic
 * also has what was told since the checkpoint and may not be told again: a storm that never began
 * in the replay, an alert whose clear was read before its raise. Where the topic's last word is not
 * what the gate holds, and stays so until the stream is beyond it, the gate tells it again: what it
 * holds, or that it is over. So the topic ends where the gate ends.
 *
 * <p>A {@link Heartbeat} passes by: no storm, no window and no word holds it back, and nothing of
 * it is remembered.
 *
 * <p>The alerts of fault trees are made here, because what follows from alerts must be known before
 * they are told: one that makes a top event true is told after it, and under it.
 *
 * <p>A reason that begins or ends is looked up for the alerts that it concerns; maintenance windows
 * and changed policies make it look at every active alert once.
 */
public final class Gate {
  private final GateState state;
  private final Storms storms;
  private final Acknowledgements acknowledgements;
  private final ReadBack readBack;
  private Explanations explanations;
  private Trees trees;

  /**
   * A gate over what is remembered.
   *
   * @param policies that were in force when it was remembered
   */
  public Gate(StormLimits limits, GateState state, Collection<Policy> policies) {
    this.state = state;
    this.storms = new Storms(limits, state);
    this.acknowledgements = new Acknowledgements(state, storms);
    this.readBack = new ReadBack(state, storms, acknowledgements);
    follow(policies);
  }

  private void follow(Collection<Policy> policies) {
    explanations = new Explanations(policies);
    trees =
        new Trees(
            policies.stream()
                .filter(FaultTree.class::isInstance)
                .map(FaultTree.class::cast)
                .toList());
    if (!policies.isEmpty()) {
      for (Map.Entry<String, GatedAlert> entry : state.alerts()) {
        if (entry.getValue().isActive()) {
          Alert alert = entry.getValue().own();
          explanations.add(alert);
          trees.put(alert);
        }
      }
    }
  }

  /**
   * Takes a transition in the life of an alert, or that it is forgotten.
   *
   * @param clockUnixNanos event time the stream has reached
   */
  public Step<GateState, Alert> onAlert(Alert alert, long clockUnixNanos) {
    boolean passesBy = Tombstone.is(alert) || Heartbeat.is(alert);
    long clock = passesBy ? clockUnixNanos : reach(clockUnixNanos);
    GateLog log = new GateLog(acknowledgements, Math.max(clock, alert.getVersion()));
    if (passesBy) {
      log.emit(alert);
      return log.step(state);
    }
    if (!trees.isEmpty()) {
      grow(alert);
    }
    TreeWords words = TreeWords.of(trees, clock, log.now(), state);
    words.active().forEach(word -> take(word, clock, log));
    take(alert, clock, log);
    words.over().forEach(word -> take(word, clock, log));
    log.wakeAt(trees.nextTimer());
    return log.step(state);
  }

  private void grow(Alert alert) {
    GatedAlert after = GatedAlert.of(alert, state.alert(alert.getFingerprint()));
    if (after.isActive()) {
      trees.put(after.own());
    } else {
      trees.remove(alert.getFingerprint());
    }
  }

  /** A transition of an alert, or of one that a tree makes. */
  private void take(Alert alert, long clock, GateLog log) {
    long now = alert.getVersion();
    String fingerprint = alert.getFingerprint();
    GatedAlert before = state.alert(fingerprint);
    boolean wasActive = before != null && before.isActive();
    GatedAlert after = GatedAlert.of(alert, before);
    if (after.isActive() && !wasActive) {
      onBegun(after, now, clock, log);
      // An alert that is ahead of the clock may have been judged by a window that is to come.
      log.wakeAt(explanations.nextEdgeAfter(clock));
    } else if (!after.isActive() && wasActive) {
      onEnded(after, now, log);
    } else if (after.isActive()) {
      state.putAlert(fingerprint, after);
      log.emit(after.toAlert());
      // Its severity may have put it under a tree.
      reconsider(List.of(fingerprint), log);
    } else {
      log.emit(after.toAlert());
    }
  }

  private void onBegun(GatedAlert begun, long now, long clock, GateLog log) {
    Alert alert = begun.own();
    String fingerprint = alert.getFingerprint();
    explanations.add(alert);
    List<Reason> policies = policiesOn(alert, List.of());
    GatedAlert after = begun.explainedBy(begun.withPolicies(policies), log.now());
    if (begun.storm().isPresent()) {
      storms.onReopened(begun.storm().get(), now, log);
    } else if (policies.isEmpty()) {
      // Members are looked up in the state, this one among them.
      state.putAlert(fingerprint, after);
      Beginning storm = storms.onOpened(alert, now, clock, log).orElse(null);
      if (storm != null) {
        storm.members().forEach(member -> join(member, storm.reason(), log));
        after = after.explainedBy(List.of(storm.reason()), log.now());
        acknowledgements.onBegun(storm.reason().explainedBy().get(0), now, log);
      }
    }
    state.putAlert(fingerprint, after);
    log.emit(after.toAlert());
    acknowledgements.onBegun(fingerprint, now, log);
    reconsider(dependentsOf(alert), log);
  }

  /** Alerts whose reasons may change when this one begins or ends. */
  private Collection<String> dependentsOf(Alert alert) {
    Set<String> dependents = explanations.dependentsOf(alert.getFingerprint());
    if (TreeAlerts.isTop(alert)) {
      dependents.addAll(trees.under(TreeAlerts.nameOf(alert)));
    }
    return dependents;
  }

  private void join(String fingerprint, Reason storm, GateLog log) {
    GatedAlert member = state.alert(fingerprint);
    if (member == null) {
      state.putAlert(fingerprint, GatedAlert.overBeforeItsStorm(storm));
    } else {
      List<Reason> reasons = new ArrayList<>(member.reasons());
      reasons.add(storm);
      change(fingerprint, member, reasons, log);
    }
  }

  private void onEnded(GatedAlert after, long now, GateLog log) {
    Alert alert = after.own();
    String fingerprint = alert.getFingerprint();
    log.emit(after.toAlert());
    // A member of a storm that lasts stays known: it is no new one when it comes back.
    if (after.storm().isPresent()) {
      state.putAlert(fingerprint, after.explainedBy(List.of(after.storm().get()), now));
      storms.onClosed(after.storm().get(), now, log);
    } else {
      state.removeAlert(fingerprint);
    }
    Collection<String> dependents = dependentsOf(alert);
    explanations.remove(fingerprint);
    reconsider(dependents, log);
  }

  /**
   * Takes the policies that are in force now, instead of those before.
   *
   * @param nowUnixNanos event time the stream has reached
   */
  public Step<GateState, Alert> onPolicies(Collection<Policy> policies, long nowUnixNanos) {
    long clock = reach(nowUnixNanos);
    GateLog log = new GateLog(acknowledgements, clock);
    follow(policies);
    log.wakeAt(explanations.nextEdgeAfter(clock));
    takeWords(TreeWords.ofChanged(trees, clock, state), clock, log);
    reconsider(activeAlerts(), log);
    return log.step(state);
  }

  /**
   * Takes a timer, at most a millisecond after the time that was asked for.
   *
   * @param nowUnixNanos event time the stream has reached
   */
  public Step<GateState, Alert> onTimer(long nowUnixNanos) {
    long clock = reach(nowUnixNanos);
    GateLog log = new GateLog(acknowledgements, clock);
    storms.onTick(nowUnixNanos, log).forEach((storm, last) -> release(storm, last, log));
    if (explanations.nextEdgeAfter(nowUnixNanos - Nanos.PER_MILLI) <= nowUnixNanos) {
      reconsider(activeAlerts(), log);
    }
    log.wakeAt(explanations.nextEdgeAfter(nowUnixNanos));
    takeWords(TreeWords.of(trees, clock, clock, state), clock, log);
    acknowledgements.onTimer(nowUnixNanos, log);
    readBack.onTimer(nowUnixNanos, log);
    return log.step(state);
  }

  private void takeWords(TreeWords words, long clock, GateLog log) {
    words.active().forEach(word -> take(word, clock, log));
    words.over().forEach(word -> take(word, clock, log));
    log.wakeAt(trees.nextTimer());
  }

  /**
   * Takes what the topic says of an alert, in the topic's order.
   *
   * @param clockUnixNanos event time the stream has reached
   */
  public Step<GateState, Alert> onTold(Alert told, long clockUnixNanos) {
    GateLog log = new GateLog(acknowledgements, clockUnixNanos);
    if (!Heartbeat.is(told)) {
      readBack.onTold(told, reach(clockUnixNanos), log);
    }
    return log.step(state);
  }

  /**
   * Takes what a person says of an alert, in the order of its topic.
   *
   * @param clockUnixNanos event time the stream has reached
   */
  public Step<GateState, Alert> onSaid(Acknowledgement said, long clockUnixNanos) {
    long clock = reach(clockUnixNanos);
    GateLog log = new GateLog(acknowledgements, clock);
    acknowledgements.onSaid(said, clock, log);
    return log.step(state);
  }

  /** The newest event time that the stream has reached, before a restart or since. */
  private long reach(long unixNanos) {
    long before = state.clockUnixNanos();
    if (unixNanos > before) {
      state.putClockUnixNanos(unixNanos);
    }
    return Math.max(before, unixNanos);
  }

  /** A storm is over: what outlives it pages, and what does not is forgotten. */
  private void release(String storm, Alert last, GateLog log) {
    List<Map.Entry<String, GatedAlert>> members = new ArrayList<>();
    for (Map.Entry<String, GatedAlert> entry : state.alerts()) {
      if (entry.getValue().storm().filter(reason -> reason.name().equals(storm)).isPresent()) {
        members.add(Map.entry(entry.getKey(), entry.getValue()));
      }
    }
    for (Map.Entry<String, GatedAlert> member : members) {
      if (member.getValue().isActive()) {
        change(member.getKey(), member.getValue(), member.getValue().withoutStorm(), log);
      } else {
        state.removeAlert(member.getKey());
      }
    }
    log.emit(last);
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

  private void reconsider(Collection<String> fingerprints, GateLog log) {
    for (String fingerprint : fingerprints) {
      GatedAlert alert = state.alert(fingerprint);
      if (alert != null && alert.isActive()) {
        List<Reason> policies = policiesOn(alert.own(), alert.reasons());
        change(fingerprint, alert, alert.withPolicies(policies), log);
      }
    }
  }

  private List<Reason> policiesOn(Alert alert, List<Reason> before) {
    long now = Math.max(state.clockUnixNanos(), alert.getVersion());
    List<Reason> reasons = explanations.reasonsFor(alert, now, before, this::reasonsOf);
    for (String tree : trees.above(alert)) {
      String top = TreeAlerts.topFingerprint(tree);
      GatedAlert active = state.alert(top);
      if (active != null
          && active.isActive()
          && !Explanations.isExplainedBy(top, alert.getFingerprint(), this::reasonsOf)) {
        reasons.add(Reason.tree(tree, top));
      }
    }
    return reasons;
  }

  private List<Reason> reasonsOf(String fingerprint) {
    GatedAlert alert = state.alert(fingerprint);
    return alert == null ? List.of() : alert.reasons();
  }

  /** Gives an active alert other reasons, and tells it if that changes anything. */
  private void change(String fingerprint, GatedAlert before, List<Reason> reasons, GateLog log) {
    if (reasons.equals(before.reasons())) {
      return;
    }
    GatedAlert after = before.explainedBy(reasons, log.now()).nextVersion();
    state.putAlert(fingerprint, after);
    log.emit(
        after.toAlert(
            after.isSuppressed()
                ? AlertTransition.ALERT_TRANSITION_SUPPRESSED
                : AlertTransition.ALERT_TRANSITION_UNSUPPRESSED));
  }
}
