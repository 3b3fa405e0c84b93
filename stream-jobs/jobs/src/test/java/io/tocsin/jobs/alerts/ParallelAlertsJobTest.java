package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.correlation.alerts.Tombstone;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.v1.RuleDocument;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With several instances of all but the gate, whatever order that gives. The input ends, and time
 * with it: what is open then expires.
 */
class ParallelAlertsJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  private static final int DEVICES = 60;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void lastWordOfEachAlertIsThatOfItsNewestEvent(int parallelism) throws Exception {
    List<Event> events = new ArrayList<>();
    Map<String, AlertState> expected = new TreeMap<>();
    for (int device = 0; device < DEVICES; device++) {
      boolean isCleared = device % 3 != 0;
      events.add(of(device, TestEvents.raise(events.size(), NOON.plusSeconds(60L * device))));
      if (isCleared) {
        events.add(of(device, TestEvents.clear(events.size(), NOON.plusSeconds(60L * device + 1))));
      }
      expected.put(
          "d" + device,
          isCleared ? AlertState.ALERT_STATE_RESOLVED : AlertState.ALERT_STATE_EXPIRED);
    }

    Map<String, AlertState> last = new TreeMap<>();
    run(parallelism, events).stream()
        .filter(alert -> !Tombstone.is(alert))
        .forEach(alert -> last.put(alert.getDevice(), alert.getState()));

    // A clear that is read before its raise tells nothing at all.
    expected
        .keySet()
        .removeIf(
            device ->
                expected.get(device) == AlertState.ALERT_STATE_RESOLVED
                    && !last.containsKey(device));
    assertThat(last).isEqualTo(expected);
  }

  private static Event of(int device, Event event) {
    return event.toBuilder().setDevice("d" + device).build();
  }

  private static List<Alert> run(int parallelism, List<Event> events) throws Exception {
    var env = TestCluster.environment().setParallelism(parallelism);
    try (CollectingSink<Alert> transitions = new CollectingSink<>()) {
      AlertsJob.define(
          env,
          AlertsJobTest.SETTINGS,
          ListSource.of(Event.class, events),
          ListSource.of(RuleDocument.class, List.of(AlertsJobTest.SOME_RULE)),
          ListSource.of(Alert.class, List.of(AlertsJobTest.TOLD_BEFORE)),
          ListSource.of(Acknowledgement.class, List.of(AlertsJobTest.SAID_OF_NOBODY)),
          transitions);
      env.execute();
      return transitions.elements();
    }
  }
}
