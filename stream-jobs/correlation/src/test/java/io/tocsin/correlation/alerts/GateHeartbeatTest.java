package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What shows that the way to the pager works is held back by nothing. */
class GateHeartbeatTest {
  private static final StormLimits LIMITS =
      new StormLimits(2, Duration.ofSeconds(10), Duration.ofSeconds(60));
  private static final MaintenanceWindow WORK_ON_EVERYTHING =
      new MaintenanceWindow(
          "work",
          new AlertMatcher(Map.of("device", List.of("*"))),
          unixNanos(NOON),
          unixNanos(AN_HOUR_LATER));

  private final GateStory story = new GateStory(LIMITS);

  @Test
  void maintenanceOfEverythingHoldsBackAllButTheHeartbeat() {
    story.policies(NOON, WORK_ON_EVERYTHING);

    story.open("d1", A_SECOND_LATER).take(beat("OPENED", A_SECOND_LATER));

    assertThat(story.told()).containsExactly("d1 opened suppressed", "beat opened open");
  }

  @Test
  void heartbeatIsNoMemberOfAStorm() {
    story.open("d1", NOON).open("d2", NOON).take(beat("OPENED", NOON));
    assertThat(story.latest()).hasSize(3);

    story.open("d3", A_SECOND_LATER).take(beat("SEVERITY_CHANGED", TWO_SECONDS_LATER));

    assertThat(story.storm().getMemberCount()).isEqualTo(3);
    assertThat(story.told()).endsWith("beat severity_changed open");
  }

  @Test
  void acknowledgementOfTheHeartbeatChangesNothing() {
    story.take(beat("OPENED", NOON));
    story.said(
        Acknowledgement.newBuilder()
            .setFingerprint("beat")
            .setAction(Acknowledgement.Action.ACTION_ACKNOWLEDGE)
            .setBy("ada")
            .setSaidAtUnixNanos(unixNanos(A_SECOND_LATER))
            .build());

    story.take(beat("SEVERITY_CHANGED", TWO_SECONDS_LATER)).until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("beat opened open", "beat severity_changed open");
    assertThat(story.latest("beat").getAcknowledgedBy()).isEmpty();
  }

  @Test
  void heartbeatThatTheTopicHasFromBeforeACrashIsNotEnded() {
    story.told(beat("OPENED", A_SECOND_LATER), NOON).until(A_MINUTE_LATER).until(AN_HOUR_LATER);

    assertThat(story.told()).isEmpty();
    assertThat(story.state().isEmpty()).isTrue();
  }

  private static Alert beat(String transition, Instant time) {
    return GateStory.alert("beat", AlertState.ALERT_STATE_OPEN, transition, time)
        .setSource("tocsin-heartbeat")
        .build();
  }
}
