package io.tocsin.rules.match;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plays events through rules as the job does, with the state of every device. */
public final class Player {
  /** A figure that nobody has polled for so long is forgotten. */
  public static final Duration FORGET_FIGURES_AFTER = Duration.ofDays(1);

  private final Map<String, Map<String, Hysteresis>> stateByDevice = new HashMap<>();

  /** The signals that an event causes. */
  public List<Signal> play(RuleSet rules, Event event) {
    Map<String, Hysteresis> state =
        rules.judges(event)
            ? stateByDevice.computeIfAbsent(event.getDevice(), device -> new HashMap<>())
            : Map.of();
    long now = event.getReceivedAtUnixNanos();
    RuleSet.Outcome outcome = rules.apply(event, key -> known(state.get(key), now));
    outcome
        .changed()
        .forEach(
            (key, changed) -> {
              if (changed == null) {
                state.remove(key);
              } else {
                state.put(key, changed);
              }
            });
    return outcome.signals();
  }

  private static Hysteresis known(Hysteresis state, long now) {
    boolean isOld =
        state != null
            && now / Nanos.PER_SECOND - state.newestUnixNanos() / Nanos.PER_SECOND
                > FORGET_FIGURES_AFTER.toSeconds();
    return isOld ? null : state;
  }
}
