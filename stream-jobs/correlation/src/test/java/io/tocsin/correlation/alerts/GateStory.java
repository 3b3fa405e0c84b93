package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Plays the lives of alerts to a gate, as an operator would, and keeps what it tells. */
final class GateStory {
  private final MemoryGateState state = new MemoryGateState();
  private final List<Alert> decisions = new ArrayList<>();
  private final Map<String, Alert> latest = new LinkedHashMap<>();
  private final TreeSet<Long> timers = new TreeSet<>();
  private final StormLimits limits;
  private int droppedWords;
  private List<Policy> policies = List.of();
  private Gate gate;

  GateStory(StormLimits limits) {
    this.limits = limits;
    this.gate = new Gate(limits, state, policies);
  }

  /** An alert named "device" or "device/check". */
  GateStory open(String name, Instant time) {
    return take(alert(name, AlertState.ALERT_STATE_OPEN, "OPENED", time).build());
  }

  GateStory refresh(String name, Instant time) {
    return take(alert(name, AlertState.ALERT_STATE_OPEN, "REFRESHED", time).build());
  }

  GateStory close(String name, Instant time) {
    return take(
        alert(name, AlertState.ALERT_STATE_RESOLVED, "RESOLVED", time)
            .setResolvedAtUnixNanos(unixNanos(time))
            .build());
  }

  GateStory flap(String name, Instant time) {
    return take(alert(name, AlertState.ALERT_STATE_FLAPPING, "FLAPPING_STARTED", time).build());
  }

  GateStory take(Alert alert) {
    return take(alert, alert.getVersion());
  }

  /** An alert, and the event time that the stream has reached. */
  GateStory take(Alert alert, long clockUnixNanos) {
    take(gate.onAlert(alert, clockUnixNanos));
    return this;
  }

  /** A word of the topic comes back. */
  GateStory told(Alert alert, Instant clock) {
    take(gate.onTold(alert, unixNanos(clock)));
    return this;
  }

  /** A person says something of an alert, when the stream has reached that time. */
  GateStory said(Acknowledgement word) {
    take(gate.onSaid(word, word.getSaidAtUnixNanos()));
    return this;
  }

  GateStory policies(Instant now, Policy... all) {
    policies = List.of(all);
    take(gate.onPolicies(policies, unixNanos(now)));
    return this;
  }

  /** The job is started again from what it has kept; nothing is told. */
  GateStory restart() {
    gate = new Gate(limits, state, policies);
    return this;
  }

  GateStory until(Instant time) {
    while (!timers.isEmpty() && timers.first() <= unixNanos(time)) {
      long due = timers.pollFirst();
      // Flink's timers are milliseconds: the next whole one.
      take(gate.onTimer(Nanos.ofMillis(Nanos.toMillisUp(due))));
    }
    return this;
  }

  private void take(Step<GateState, Alert> step) {
    decisions.addAll(step.decisions());
    droppedWords += step.evicted();
    step.decisions().forEach(alert -> latest.put(alert.getFingerprint(), alert));
    if (step.nextTimerUnixNanos() != Step.NO_TIMER) {
      timers.add(step.nextTimerUnixNanos());
    }
  }

  static Alert.Builder alert(String name, AlertState state, String transition, Instant time) {
    String[] parts = (name + "/node").split("/");
    return Alert.newBuilder()
        .setFingerprint(name)
        .setState(state)
        .setTransition(AlertTransition.valueOf("ALERT_TRANSITION_" + transition))
        .setVersion(unixNanos(time))
        .setSeverity(Severity.SEVERITY_MAJOR)
        .setSource("hyak")
        .setDevice(parts[0])
        .setCheck(parts[1])
        .setEventId("event of " + name)
        .setFirstSeenUnixNanos(unixNanos(time))
        .setLastSeenUnixNanos(unixNanos(time));
  }

  List<Alert> decisions() {
    return decisions;
  }

  /** What was told, as "device transition state". */
  List<String> told() {
    return decisions.stream().map(GateStory::words).toList();
  }

  /** What was told since something had been told so often. */
  List<String> toldAfter(int count) {
    return told().subList(count, decisions.size());
  }

  private static String words(Alert alert) {
    String name = alert.getCheck().equals("storm") ? "storm" : alert.getFingerprint();
    return (name + " " + alert.getTransition() + " " + alert.getState())
        .replaceAll("ALERT_(TRANSITION|STATE)_", "")
        .toLowerCase(Locale.ROOT);
  }

  /** The newest of each alert. */
  Map<String, Alert> latest() {
    return latest;
  }

  Alert latest(String fingerprint) {
    return latest.get(fingerprint);
  }

  Alert storm() {
    return latest.values().stream()
        .filter(alert -> alert.getCheck().equals("storm"))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  int droppedWords() {
    return droppedWords;
  }

  MemoryGateState state() {
    return state;
  }

  TreeSet<Long> timers() {
    return timers;
  }
}
