package io.tocsin.rules.match;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.correlation.alerts.UpdateSignals;
import io.tocsin.events.v1.Event;

/**
 * Where an event goes, decided without any state: what a monitor or a job says is a signal, and so
 * is a message that a rule matches; a figure that a rule judges needs what was kept of it; whatever
 * else is read ends here.
 */
public final class EventRoutes {
  /** Where it may go. */
  public interface Takers {
    /** Takes what goes to the rules of alerts as it is. */
    void signal(Signal signal);

    /** Takes what a monitor says, which is bounded for each source. */
    void update(Signal update);

    /** Takes an event with a figure that a rule judges. */
    void measure(Event event);
  }

  private EventRoutes() {}

  /** Hands an event on. */
  public static void route(Event event, RuleSet rules, UpdateExpiry updateExpiry, Takers takers) {
    if (UpdateSignals.isOwnFinding(event)) {
      // It ends by its rules, which bound it, and no stranger's alerts take its room.
      UpdateSignals.of(event).ifPresent(takers::signal);
    } else if (event.hasAlertUpdate()) {
      UpdateSignals.of(event, updateExpiry).ifPresent(takers::update);
    }
    if (rules.judges(event)) {
      takers.measure(event);
    } else {
      rules.signals(event).forEach(takers::signal);
    }
  }
}
