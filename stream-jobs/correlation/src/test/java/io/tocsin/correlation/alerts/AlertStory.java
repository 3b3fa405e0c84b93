package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Plays events of one fingerprint to the rules, as an operator would, and keeps what they answer.
 */
final class AlertStory {
  static final Duration REFRESH_INTERVAL = Duration.ofSeconds(60);
  static final Duration FORGET_AFTER = Duration.ofHours(24);

  private final AlertRules rules = new AlertRules(REFRESH_INTERVAL, FORGET_AFTER);
  private final List<Alert> decisions = new ArrayList<>();
  private TrackedAlert state;
  private OptionalLong nextTimerUnixNanos = OptionalLong.empty();

  static AlertStory of(Event... events) {
    AlertStory story = new AlertStory();
    for (Event event : events) {
      UpdateSignals.of(event)
          .ifPresent(signal -> story.take(story.rules.onSignal(story.state, signal)));
    }
    return story;
  }

  AlertStory timerAt(Instant time) {
    take(rules.onTimer(state, unixNanos(time)));
    return this;
  }

  private void take(Step step) {
    state = step.state();
    decisions.addAll(step.decisions());
    nextTimerUnixNanos = step.nextTimerUnixNanos();
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

  OptionalLong nextTimerUnixNanos() {
    return nextTimerUnixNanos;
  }
}
