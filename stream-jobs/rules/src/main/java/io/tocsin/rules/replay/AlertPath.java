package io.tocsin.rules.replay;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.Fingerprint;
import io.tocsin.correlation.alerts.Gate;
import io.tocsin.correlation.alerts.GateState;
import io.tocsin.correlation.alerts.MemoryGateState;
import io.tocsin.correlation.alerts.Policy;
import io.tocsin.correlation.alerts.SourceAlerts;
import io.tocsin.correlation.alerts.SourceLimitRules;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.TrackedAlert;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.match.EventRoutes;
import io.tocsin.rules.match.Player;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The way from an event to a told transition, as the alerts job has it: signals, source limit,
 * rules of alerts, gate. Timers of all of them fire in one order of time, which is what the job
 * comes to while its clock moves on steadily.
 */
public final class AlertPath {
  /** How far behind the newest receipt an event may come: the disorder that the job allows. */
  public static final Duration MAX_DISORDER = Duration.ofSeconds(2);

  private final Settings settings;
  private final UnaryOperator<Signal> identity;
  private final Taker taker;
  private final RuleBook book = new RuleBook();
  private final Map<String, Policy> policies = new TreeMap<>();
  private final Player figures = new Player();
  private final KeyedMemory<Signal, SourceAlerts, Signal> sourceLimit;
  private final KeyedMemory<Signal, TrackedAlert, Alert> alertRules;
  private final Gate gate;
  private final TreeSet<Long> gateTimers = new TreeSet<>();
  private final EventRoutes.Takers routes = new Routes();
  private long watermarkMillis = Long.MIN_VALUE;

  /**
   * What people may set for the job.
   *
   * @param timing of the life of an alert
   * @param updateExpiry silence after which an alert of a monitor expires
   * @param maxAlertsPerSource of the updates of one source
   * @param storms when many alerts are one
   */
  public record Settings(
      AlertTiming timing, UpdateExpiry updateExpiry, int maxAlertsPerSource, StormLimits storms) {
    /** What holds where nothing is configured. */
    public static final Settings DEFAULT =
        new Settings(
            AlertTiming.DEFAULT, UpdateExpiry.of(Duration.ofDays(7)), 100_000, StormLimits.DEFAULT);
  }

  /** Takes what is told. */
  public interface Taker {
    /**
     * Takes a transition.
     *
     * @param atUnixNanos when it was told, by the agents' clock
     */
    void told(Alert alert, long atUnixNanos);
  }

  /**
   * A way without rules.
   *
   * @param identity gives a signal other fields of identity, or leaves it as it is
   */
  public AlertPath(Settings settings, UnaryOperator<Signal> identity, Taker taker) {
    this.settings = settings;
    this.identity = identity;
    this.taker = taker;
    sourceLimit =
        new KeyedMemory<>(
            new SourceLimitRules(settings.maxAlertsPerSource(), settings.timing().forgetAfter()));
    alertRules = new KeyedMemory<>(new AlertRules(settings.timing()));
    gate = new Gate(settings.storms(), new MemoryGateState(), List.of());
  }

  /**
   * Puts documents in force, or takes those without text out of it.
   *
   * @throws io.tocsin.rules.document.DocumentException where this build does not understand one
   */
  public void onDocuments(Iterable<RuleDocument> documents) {
    boolean hasNewPolicies = false;
    for (RuleDocument document : documents) {
      String name = document.getName();
      Optional<Policy> policy = Optional.empty();
      if (document.getYaml().isEmpty()) {
        book.remove(name);
      } else {
        book.put(document);
        policy = RuleBook.policy(document);
      }
      hasNewPolicies |= policy.isPresent() || policies.containsKey(name);
      policy.ifPresentOrElse(each -> policies.put(name, each), () -> policies.remove(name));
    }
    if (hasNewPolicies) {
      follow(gate.onPolicies(policies.values(), now()));
    }
  }

  /** Takes an event, in order of receipt; one may be late as in the job. */
  public void onEvent(Event event) {
    // Heartbeats of the agents move the job's clock while nothing else happens.
    advanceTo(event.getReceivedAtUnixNanos() / Nanos.PER_MILLI - MAX_DISORDER.toMillis() - 1);
    EventRoutes.route(event, book.rules(), settings.updateExpiry(), routes);
  }

  /** Takes what a person said. */
  public void onSaid(Acknowledgement said) {
    advanceTo(said.getSaidAtUnixNanos() / Nanos.PER_MILLI - MAX_DISORDER.toMillis() - 1);
    follow(gate.onSaid(said, now()));
  }

  /** Moves the clock, and fires what is due until then. */
  public void advanceTo(long millis) {
    while (true) {
      long next =
          Math.min(
              Math.min(sourceLimit.nextMillis(), alertRules.nextMillis()),
              gateTimers.isEmpty() ? Step.NO_TIMER : gateTimers.first());
      if (next > millis || next == Step.NO_TIMER) {
        break;
      }
      sourceLimit.fireUntil(next, this::onSignal);
      alertRules.fireUntil(next, this::onAlert);
      watermarkMillis = Math.max(watermarkMillis, next);
      while (!gateTimers.isEmpty() && gateTimers.first() <= next) {
        follow(gate.onTimer(Nanos.ofMillis(gateTimers.pollFirst())));
      }
    }
    watermarkMillis = Math.max(watermarkMillis, millis);
  }

  private void onSignal(Signal signal) {
    alertRules.onInput(Fingerprint.of(signal), signal, this::onAlert);
  }

  private void onAlert(Alert alert) {
    follow(gate.onAlert(alert, now()));
  }

  private long now() {
    return Nanos.ofMillis(watermarkMillis);
  }

  private void follow(Step<GateState, Alert> step) {
    if (step.nextTimerUnixNanos() != Step.NO_TIMER) {
      gateTimers.add(Nanos.toMillisUp(step.nextTimerUnixNanos()));
    }
    for (Alert alert : step.decisions()) {
      taker.told(alert, Math.max(alert.getVersion(), now()));
    }
  }

  private final class Routes implements EventRoutes.Takers {
    @Override
    public void signal(Signal signal) {
      onSignal(identity.apply(signal));
    }

    @Override
    public void update(Signal update) {
      Signal signal = identity.apply(update);
      sourceLimit.onInput(SourceLimitRules.keyOf(signal), signal, AlertPath.this::onSignal);
    }

    @Override
    public void measure(Event event) {
      figures.play(book.rules(), event).forEach(this::signal);
    }
  }
}
