package io.tocsin.jobs.wan;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import io.tocsin.wan.v1.WanEpisode;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WanJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  @Test
  void probesAndCountersBecomeEpisodesInBothSinksAndAlerts() throws Exception {
    List<Event> events = new ArrayList<>(LinksFunctionTest.story());
    events.add(5, TestEvents.reject(9_000, NOON));
    events.add(6, TestEvents.agentStats(9_001, NOON));

    Outcome outcome = run(events);

    assertThat(outcome.transitions())
        .extracting(e -> e.getKind().name().substring(5) + " " + e.getVersion())
        .containsExactly("LATENCY 1", "LATENCY 2", "LATENCY 3", "DOWN 1", "DOWN 2");
    assertThat(outcome.alerts())
        .extracting(Event::getAlertUpdate)
        .extracting(AlertUpdate::getCheck, update -> update.getAction().getNumber())
        .containsExactly(
            tuple("wan-latency", 1),
            tuple("wan-latency", 1),
            tuple("wan-latency", 2),
            tuple("wan-down", 1),
            tuple("wan-down", 2));
    Event saturated = outcome.alerts().get(1);
    assertThat(saturated.getDevice()).isEqualTo("edge-1");
    assertThat(saturated.getAlertUpdate().getFingerprintLabelsList()).containsExactly("link_id");
    assertThat(saturated.getAlertUpdate().getLabelsMap())
        .containsEntry("link_id", "dc1-dc2")
        .containsEntry("cause", "egress_saturated")
        .containsEntry("baseline_ms", "31")
        .containsEntry("peak_ms", "92")
        .containsEntry("out_load", "0.99");
  }

  @Test
  void linksToOnePlaceThatGoDownTogetherBlameThePlaceAcrossDevices() throws Exception {
    List<Event> events = new ArrayList<>();
    for (int second = 1; second <= 60; second++) {
      for (String device : List.of("edge-1", "edge-2")) {
        var time = NOON.plusSeconds(second);
        Event probe =
            second > 30
                ? TestEvents.lostProbe(second, time)
                : TestEvents.probe(second, time, 30 + second % 3);
        Event.Builder event = probe.toBuilder().setDevice(device).setEventId(device + "-" + second);
        event.getLinkProbeBuilder().setLinkId(device + "-dc2");
        events.add(event.build());
      }
    }

    assertThat(run(events).transitions())
        .extracting(WanEpisode::getLinkId, WanEpisode::getCause)
        .contains(
            tuple("edge-1-dc2", WanEpisode.Cause.CAUSE_REMOTE_UNREACHABLE),
            tuple("edge-2-dc2", WanEpisode.Cause.CAUSE_REMOTE_UNREACHABLE));
  }

  private record Outcome(List<WanEpisode> transitions, List<Event> alerts) {}

  private static Outcome run(List<Event> events) throws Exception {
    var env = TestCluster.environment();
    // No watermark but the last. A tick that finds a poll as the newest event makes the source idle
    // until the next, and Flink drops the last watermark of a source that ends so: a list does
    // where the machine is slow, a topic never ends.
    env.getConfig().setAutoWatermarkInterval(0);
    try (CollectingSink<WanEpisode> transitions = new CollectingSink<>();
        CollectingSink<Event> alerts = new CollectingSink<>()) {
      WanJob.define(
          env, WanSettings.defaults(), ListSource.of(Event.class, events), transitions, alerts);
      env.execute();
      return new Outcome(transitions.elements(), alerts.elements());
    }
  }
}
