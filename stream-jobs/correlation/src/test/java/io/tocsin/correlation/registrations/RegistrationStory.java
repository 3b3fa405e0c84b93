package io.tocsin.correlation.registrations;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EnumWords;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.testsupport.DhcpEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Plays events of one client to the rules, as an operator would, and keeps what they answer. */
final class RegistrationStory {
  static final String MAC = "02:00:00:00:00:2a";
  static final Duration LATENESS = Duration.ofMinutes(1);
  static final Duration REPEAT_WINDOW = Duration.ofSeconds(10);
  static final Duration FORGET_AFTER = Duration.ofDays(7);

  private final RegistrationRules rules =
      new RegistrationRules(LATENESS, REPEAT_WINDOW, FORGET_AFTER);
  private final MessageFold messages = new MessageFold(LATENESS, new Repeats(REPEAT_WINDOW));
  private final List<Registration> decisions = new ArrayList<>();
  private final List<Observation> observations = new ArrayList<>();
  private Access access = Access.ACCESS_BLOCKED;
  private TrackedClient state;
  private long timer = Step.NO_TIMER;
  private long tooLate;
  private int forgotten;

  /** The four messages by which a client gets its first lease, from noon on, a millisecond each. */
  static Event[] exchange(DhcpEvents client) {
    return new Event[] {
      client.discover(NOON),
      client.offer(NOON.plusMillis(1)),
      client.select(NOON.plusMillis(2)),
      client.ack(NOON.plusMillis(3))
    };
  }

  static RegistrationStory of(Event... events) {
    return new RegistrationStory().then(events);
  }

  RegistrationStory then(Event... events) {
    for (Event event : events) {
      take(rules.onMessage(state, access, event));
    }
    return this;
  }

  /** Event time passes; the timers that it reaches fire. */
  RegistrationStory until(Instant time) {
    while (timer <= unixNanos(time)) {
      long now = timer;
      timer = Step.NO_TIMER;
      take(rules.onTimer(MAC, 4, state, access, now));
      if (timer == now) {
        throw new AssertionError("the timer at " + now + " asks for itself");
      }
    }
    return this;
  }

  RegistrationStory registered(Access now, Instant time) {
    access = now;
    take(rules.onAccess(MAC, 4, state, now, unixNanos(time)));
    return this;
  }

  private void take(Step<TrackedClient, ClientDecision> step) {
    state = step.state();
    timer = state == null ? Step.NO_TIMER : Math.min(timer, step.nextTimerUnixNanos());
    for (ClientDecision decision : step.decisions()) {
      if (decision instanceof ClientDecision.Transition transition) {
        decisions.add(transition.registration());
      } else if (decision instanceof ClientDecision.Forgotten) {
        forgotten++;
      } else if (decision instanceof Observation observation) {
        observations.add(observation);
      } else {
        tooLate++;
      }
    }
  }

  /** What was told, as "state by cause". */
  List<String> told() {
    return decisions.stream()
        .map(told -> EnumWords.wordOf(told.getState()) + " by " + told.getCause())
        .toList();
  }

  List<Registration> decisions() {
    return decisions;
  }

  Registration last() {
    return decisions.get(decisions.size() - 1);
  }

  List<Observation.Kind> observed() {
    return observations.stream().map(Observation::kind).toList();
  }

  List<Observation> observations() {
    return observations;
  }

  Observation observation(Observation.Kind kind) {
    return observations.stream().filter(seen -> seen.kind() == kind).findFirst().orElseThrow();
  }

  /** The client as it stands. */
  Client client() {
    return messages.fold(state);
  }

  TrackedClient state() {
    return state;
  }

  /** How often it was told that the client is forgotten. */
  int forgotten() {
    return forgotten;
  }

  long tooLate() {
    return tooLate;
  }
}
