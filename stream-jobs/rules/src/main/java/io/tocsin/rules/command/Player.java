package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.match.Hysteresis;
import io.tocsin.rules.match.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plays events through rules as the job does, with the state of every device. */
final class Player {
  private final RuleSet rules;
  private final Map<String, Map<String, Hysteresis>> stateByDevice = new HashMap<>();

  Player(RuleSet rules) {
    this.rules = rules;
  }

  List<Signal> play(Event event) {
    Map<String, Hysteresis> state =
        stateByDevice.computeIfAbsent(event.getDevice(), device -> new HashMap<>());
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
