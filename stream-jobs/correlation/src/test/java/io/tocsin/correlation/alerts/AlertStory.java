package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Plays signals of one fingerprint to the rules, as an operator would, and keeps what they answer.
 */
final class AlertStory {
  static final AlertTiming TIMING =
      new AlertTiming(
          Duration.ofSeconds(60),
          Duration.ofHours(24),
          3,
          Duration.ofMinutes(5),
          Duration.ofMinutes(5));

  private final AlertRules rules = new AlertRules(TIMING);
  private final List<Alert> decisions = new ArrayList<>();
  private final List<Alert> tombstones = new ArrayList<>();
  private final TreeSet<Long> timers = new TreeSet<>();
  private TrackedAlert state;

  static AlertStory of(Event... events) {
    AlertStory story = new AlertStory();
    for (Event event : events) {
      story.take(UpdateSignals.of(event).orElseThrow());
    }
    return story;
  }

  AlertStory take(Signal signal) {
    take(rules.onInput(state, signal));
    return this;
  }

  AlertStory take(Event event) {
    return take(UpdateSignals.of(event).orElseThrow());
  }

  /** The stream reaches a time: what timers are due come. */
  AlertStory until(Instant time) {
    return untilUnixNanos(unixNanos(time));
  }

  AlertStory untilUnixNanos(long now) {
    while (!timers.isEmpty() && timers.first() <= now) {
      long due = timers.pollFirst();
      take(rules.onTimer(state, due));
    }
    return this;
  }

  /** One timer: one that is set and earlier is left. */
  private void take(Step<TrackedAlert, Alert> step) {
    state = step.state();
    for (Alert decision : step.decisions()) {
      (Tombstone.is(decision) ? tombstones : decisions).add(decision);
    }
    long wanted = step.nextTimerUnixNanos();
    if (state == null || !timers.isEmpty() && wanted < timers.first()) {
      timers.clear();
    }
    if (wanted != Step.NO_TIMER && timers.isEmpty()) {
      timers.add(wanted);
    }
  }

  List<Alert> decisions() {
    return decisions;
  }

  /** Fingerprints that were told to be forgotten. */
  List<String> forgotten() {
    return tombstones.stream().map(Alert::getFingerprint).toList();
  }

  /** What was told, as "transition/severity". */
  List<String> told() {
    return decisions.stream()
        .map(alert -> alert.getTransition() + "/" + alert.getSeverity())
        .map(
            text ->
                text.replaceAll("ALERT_TRANSITION_|SEVERITY_(?!CHANGED)", "")
                    .toLowerCase(Locale.ROOT))
        .toList();
  }

  Alert last() {
    return decisions.get(decisions.size() - 1);
  }

  TrackedAlert state() {
    return state;
  }

  TreeSet<Long> timers() {
    return timers;
  }
}
