package io.tocsin.correlation.copies;

import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.copies.Heard.Said;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Optional;

/**
 * Tells the first event of a message from its copies, which other agents of the group received: the
 * k-th time that one agent hears the message is the k-th time that another does.
 *
 * <p>A message is what {@link Content} says of it, received by two agents within {@value
 * #BOUND_SECONDS} seconds. What was heard of all agents is forgotten, what was not after {@value
 * #WAIT_MINUTES} minutes.
 *
 * <p>All copies have one key in Kafka and stand in one partition, and nothing but that order and
 * times that stand in the records decide. So every job that reads them keeps the same ones.
 */
public final class Copies implements KeyedRules<Arrival, Heard, Verdict> {
  static final long BOUND_SECONDS = 10;
  static final long WAIT_MINUTES = 10;
  static final int MOST_WAITING = 1_000;

  private static final long BOUND_NANOS = BOUND_SECONDS * Nanos.PER_SECOND;
  private static final long WAIT_NANOS = 60 * WAIT_MINUTES * Nanos.PER_SECOND;

  /**
   * What copies have in common. All that is said of one alert of a monitor, and all of one DHCP
   * client, has one key, because its order decides: a clear must not overtake its raise on the way
   * of another instance. Of other events a device may say thousands a second: each content has a
   * key of its own, and what a rule makes of them is put in order by their times.
   */
  public static String keyOf(Event event) {
    String what = subjectOf(event).orElseGet(() -> event.getDevice() + '\n' + hashOf(event));
    return event.getCopies().getGroup() + '\n' + what;
  }

  private static Optional<String> subjectOf(Event event) {
    return switch (event.getBodyCase()) {
      case ALERT_UPDATE -> {
        AlertUpdate update = event.getAlertUpdate();
        yield Optional.of(
            String.join("\n", event.getDevice(), update.getSource(), update.getCheck()));
      }
      case DHCP -> Optional.of(event.getDhcp().getMac()).filter(mac -> !mac.isEmpty());
      default -> Optional.empty();
    };
  }

  /** Tells messages of one key apart; empty where the key does. */
  static String contentWithinKey(Event event) {
    return subjectOf(event).map(subject -> event.getDevice() + '\n' + hashOf(event)).orElse("");
  }

  private static String hashOf(Event event) {
    return Content.of(event).hash();
  }

  @Override
  public Step<Heard, Verdict> onInput(Heard known, Arrival arrival) {
    Heard heard = known == null ? new Heard() : known;
    forgetBefore(heard, arrival.takenAtUnixNanos() - WAIT_NANOS);
    String content = contentWithinKey(arrival.event());
    Optional<Said> said =
        heard.waiting.stream()
            .filter(one -> one.content.equals(content) && isCopyOf(one, arrival))
            .findFirst();
    if (said.isEmpty()) {
      heard.waiting.add(Said.first(arrival, content));
      return step(heard, List.of(Verdict.KEPT), dropOneTooMany(heard));
    }
    said.get().agents.add(arrival.event().getAgentId());
    if (said.get().agents.size() >= arrival.event().getCopies().getAgents()) {
      heard.waiting.remove(said.get());
    }
    return step(heard, List.of(new Verdict(said.get().eventId)), 0);
  }

  @Override
  public Step<Heard, Verdict> onTimer(Heard heard, long nowUnixNanos) {
    forgetBefore(heard, nowUnixNanos - WAIT_NANOS);
    return step(heard, List.of(), 0);
  }

  private static boolean isCopyOf(Said said, Arrival arrival) {
    return !said.agents.contains(arrival.event().getAgentId())
        && Math.abs(said.receivedAtUnixNanos - arrival.receivedAtUnixNanos()) <= BOUND_NANOS;
  }

  private static void forgetBefore(Heard heard, long takenAtUnixNanos) {
    heard.waiting.removeIf(said -> said.takenAtUnixNanos <= takenAtUnixNanos);
  }

  private static int dropOneTooMany(Heard heard) {
    if (heard.waiting.size() <= MOST_WAITING) {
      return 0;
    }
    heard.waiting.remove(0);
    return 1;
  }

  private static Step<Heard, Verdict> step(Heard heard, List<Verdict> verdicts, int evicted) {
    return heard.waiting.isEmpty()
        ? Step.forget(verdicts)
        : new Step<>(heard, verdicts, heard.waiting.get(0).takenAtUnixNanos + WAIT_NANOS, evicted);
  }
}
