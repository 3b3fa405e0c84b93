package io.tocsin.correlation.registrations.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Complaints.Complaint;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Plays observations of one key to a rule, as an operator would. Times are from noon on. */
final class FindingStory<S extends TimedState> {
  static final String SERVER = "10.1.0.1";
  static final String RELAY = "10.1.2.1";

  private FindingRules<Observation, S> rules;
  private final List<Event> findings = new ArrayList<>();
  private S state;
  private long timer = Step.NO_TIMER;

  FindingStory(FindingRules<Observation, S> rules) {
    this.rules = rules;
  }

  /** An observation of a client by its number. */
  static Observation seen(Kind kind, Duration time, int client) {
    return seen(kind, time, client, Double.NaN);
  }

  static Observation seen(Kind kind, Duration time, int client, double latencyMs) {
    return new Observation(
        kind,
        4,
        "02:00:00:00:%02x:%02x".formatted(client >> 8, client & 0xff),
        "10.1.2." + client % 250,
        SERVER,
        RELAY,
        RELAY,
        "",
        unixNanos(NOON.plus(time)),
        latencyMs,
        unixNanos(NOON.plus(time).plusSeconds(600)),
        RELAY,
        "",
        "sw-b4 ge-0/0/7",
        "event-" + client);
  }

  FindingStory<S> complained(Kind kind, Duration time, String words) {
    rules =
        ((EvidenceRules<S>) rules)
            .given(
                new Complaints(
                    List.of(
                        new Complaint(
                            kind, "dhcp-1", "", 3, unixNanos(NOON.plus(time)), words, "e-1"))));
    return this;
  }

  FindingStory<S> then(Observation seen) {
    fireUntil(seen.timeUnixNanos() - 1);
    if (rules.concerns(seen)) {
      take(rules.onInput(state, seen));
    }
    return this;
  }

  FindingStory<S> until(Duration time) {
    fireUntil(unixNanos(NOON.plus(time)));
    return this;
  }

  private void fireUntil(long unixNanos) {
    while (timer <= unixNanos) {
      long now = timer;
      timer = Step.NO_TIMER;
      take(rules.onTimer(state, now));
    }
  }

  private void take(Step<S, Event> step) {
    state = step.state();
    findings.addAll(step.decisions());
    timer = state == null ? Step.NO_TIMER : Math.min(timer, step.nextTimerUnixNanos());
  }

  /** What was told, as "raise check" and "clear check", the same again left out. */
  List<String> told() {
    List<String> told = new ArrayList<>();
    for (Event event : findings) {
      boolean isRaise = event.getAlertUpdate().getAction() == AlertUpdate.Action.ACTION_UPDATE;
      String word = (isRaise ? "raise " : "clear ") + event.getAlertUpdate().getCheck();
      if (told.isEmpty() || !told.get(told.size() - 1).equals(word)) {
        told.add(word);
      }
    }
    return told;
  }

  /** Values of a label in what was raised. */
  Set<String> raised(String label) {
    return findings.stream()
        .map(Event::getAlertUpdate)
        .filter(update -> update.getAction() == AlertUpdate.Action.ACTION_UPDATE)
        .map(update -> update.getLabelsOrThrow(label))
        .collect(Collectors.toSet());
  }

  Event first() {
    return findings.get(0);
  }

  Event last() {
    return findings.get(findings.size() - 1);
  }

  S state() {
    return state;
  }
}
