package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the order of arrival, updates with distinct event times end in the same state. */
class AlertRulesOrderTest {
  private static final int ORDERS_PER_SEED = 500;
  private static final int MAX_EVENTS = 9;

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 300, 4_000})
  void everyOrderOfArrivalEndsInTheSameState(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < ORDERS_PER_SEED; i++) {
      List<Event> inOrder = randomUpdates(random);
      boolean isOpenAtTheEnd = !isClear(inOrder.get(inOrder.size() - 1));
      List<Event> shuffled = new ArrayList<>(inOrder);
      Collections.shuffle(shuffled, random);

      AlertStory story = AlertStory.of(shuffled.toArray(Event[]::new));

      assertThat(story.state().isOpen())
          .as("seed %d, case %d: %s", seed, i, shuffled)
          .isEqualTo(isOpenAtTheEnd);
      assertThatVersionsCountAndStatesAlternate(story.decisions());
    }
  }

  private static List<Event> randomUpdates(Random random) {
    List<Event> events = new ArrayList<>();
    int count = 1 + random.nextInt(MAX_EVENTS);
    for (int sequence = 1; sequence <= count; sequence++) {
      var time = NOON.plusSeconds(sequence * 20L);
      events.add(
          random.nextBoolean()
              ? TestEvents.raise(sequence, time)
              : TestEvents.clear(sequence, time));
    }
    return events;
  }

  private static boolean isClear(Event event) {
    return event.getAlertUpdate().getSeverity() == Severity.SEVERITY_CLEARED;
  }

  private static void assertThatVersionsCountAndStatesAlternate(List<Alert> decisions) {
    boolean wasOpen = false;
    for (int i = 0; i < decisions.size(); i++) {
      Alert alert = decisions.get(i);
      assertThat(alert.getVersion()).isEqualTo(i + 1L);
      boolean isOpen = alert.getState() == AlertState.ALERT_STATE_OPEN;
      boolean isOpening = alert.getTransition().name().endsWith("OPENED");
      assertThat(isOpening).isEqualTo(isOpen && !wasOpen);
      assertThat(isOpen || wasOpen).as("resolved only after open").isTrue();
      wasOpen = isOpen;
    }
  }
}
