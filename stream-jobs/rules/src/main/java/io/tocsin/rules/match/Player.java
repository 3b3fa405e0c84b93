package io.tocsin.rules.match;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plays events through rules as the job does, with the state of every device. */
public final class Player {
  private final Map<String, Map<String, Hysteresis>> stateByDevice = new HashMap<>();

  /** The signals that an event causes. */
  public List<Signal> play(RuleSet rules, Event event) {
    Map<String, Hysteresis> state =
        rules.judges(event)
            ? stateByDevice.computeIfAbsent(event.getDevice(), device -> new HashMap<>())
            : Map.of();
    RuleSet.Outcome outcome = rules.apply(event, state::get);
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
}
