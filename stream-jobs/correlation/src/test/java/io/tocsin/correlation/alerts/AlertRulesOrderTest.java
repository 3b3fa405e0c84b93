package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the order of arrival, signals with distinct event times end in the same state, and what
 * is over leaves neither state nor timers behind.
 */
class AlertRulesOrderTest {
  private static final int ORDERS_PER_SEED = 500;
  private static final int MAX_EVENTS = 12;
  private static final int STEP_SECONDS = 20;
  private static final int EXPIRY_SECONDS = 300;
  private static final long LATENESS_NANOS = Duration.ofSeconds(100).toNanos();

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 300, 4_000})
  void everyOrderOfArrivalEndsInTheSameState(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < ORDERS_PER_SEED; i++) {
      List<Signal> inOrder = randomSignals(random, 0);
      List<Signal> shuffled = withRepeats(inOrder, random);
      Collections.shuffle(shuffled, random);

      AlertStory story = new AlertStory();
      shuffled.forEach(story::take);
      story.until(NOON.plus(Duration.ofHours(1)));

      assertThat(isActive(story))
          .as("seed %d, case %d: %s", seed, i, shuffled)
          .isEqualTo(isRaise(inOrder.get(inOrder.size() - 1)));
      assertThatTransitionsFit(story.decisions());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 60, 700, 8_000})
  void orderWithinTheLatenessDoesNotMatterWhileTimersCome(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < ORDERS_PER_SEED; i++) {
      List<Signal> arrivals = withRepeats(randomSignals(random, EXPIRY_SECONDS), random);
      List<Long> delays = arrivals.stream().map(any -> random.nextLong(LATENESS_NANOS)).toList();
      List<Integer> order = new ArrayList<>();
      for (int a = 0; a < arrivals.size(); a++) {
        order.add(a);
      }
      order.sort(Comparator.comparing(a -> arrivalOf(arrivals.get(a), delays.get(a))));

      AlertStory story = new AlertStory();
      for (int a : order) {
        long watermark = arrivalOf(arrivals.get(a), delays.get(a)) - LATENESS_NANOS;
        story.untilUnixNanos(watermark).take(arrivals.get(a));
      }

      Signal newest =
          arrivals.stream().max(Comparator.comparing(Signal::getEventTimeUnixNanos)).orElseThrow();
      assertThat(story.state().isRaised).as("seed %d, case %d", seed, i).isEqualTo(isRaise(newest));
      story.until(NOON.plus(AlertStory.TIMING.forgetAfter().multipliedBy(2)));
      assertThatTransitionsFit(story.decisions());
      assertThat(isActive(story)).isFalse();
      assertThat(story.state()).isNull();
      assertThat(story.timers()).isEmpty();
    }
  }

  private static long arrivalOf(Signal signal, long delayNanos) {
    return signal.getReceivedAtUnixNanos() + delayNanos;
  }

  private static List<Signal> randomSignals(Random random, int expiresAfterSeconds) {
    List<Signal> signals = new ArrayList<>();
    int count = 1 + random.nextInt(MAX_EVENTS);
    for (int sequence = 1; sequence <= count; sequence++) {
      var time = NOON.plusSeconds((long) sequence * STEP_SECONDS);
      Event event =
          random.nextBoolean()
              ? TestEvents.raise(sequence, time)
              : TestEvents.clear(sequence, time);
      signals.add(
          UpdateSignals.of(event).orElseThrow().toBuilder()
              .setExpiresAfterSeconds(expiresAfterSeconds)
              .build());
    }
    return signals;
  }

  /** Some are delivered twice; an alert remembers only its newest events, so only a few are. */
  private static List<Signal> withRepeats(List<Signal> signals, Random random) {
    List<Signal> arrivals = new ArrayList<>(signals);
    arrivals.add(signals.get(random.nextInt(signals.size())));
    return arrivals;
  }

  private static boolean isRaise(Signal signal) {
    return signal.getKind() == Signal.Kind.KIND_RAISE;
  }

  private static boolean isActive(AlertStory story) {
    return !story.decisions().isEmpty() && isActive(story.last());
  }

  private static boolean isActive(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_OPEN
        || alert.getState() == AlertState.ALERT_STATE_FLAPPING;
  }

  private static void assertThatTransitionsFit(List<Alert> decisions) {
    boolean wasActive = false;
    long version = 0;
    for (Alert alert : decisions) {
      assertThat(alert.getVersion()).isGreaterThan(version);
      assertThat(isActive(alert) || wasActive).as("ends only what was told as active").isTrue();
      assertThat(alert.hasResolvedAtUnixNanos()).isEqualTo(!isActive(alert));
      assertThat(alert.getLastSeenUnixNanos())
          .isGreaterThanOrEqualTo(alert.getFirstSeenUnixNanos());
      if (alert.hasResolvedAtUnixNanos()) {
        assertThat(alert.getResolvedAtUnixNanos())
            .isGreaterThanOrEqualTo(alert.getFirstSeenUnixNanos());
      }
      wasActive = isActive(alert);
      version = alert.getVersion();
    }
  }
}
