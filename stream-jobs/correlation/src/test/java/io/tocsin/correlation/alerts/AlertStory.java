package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Signal;
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
      new AlertTiming(Duration.ofSeconds(60), Duration.ofHours(24), 3, Duration.ofMinutes(5));

  private final AlertRules rules = new AlertRules(TIMING);
  private final List<Alert> decisions = new ArrayList<>();
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
    take(rules.onSignal(state, signal));
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
      take(rules.onTimer(state, timers.pollFirst()));
    }
    return this;
  }

  private void take(Step step) {
    state = step.state();
    step.decision().ifPresent(decisions::add);
    step.nextTimerUnixNanos().ifPresent(timers::add);
  }

  List<Alert> decisions() {
    return decisions;
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
