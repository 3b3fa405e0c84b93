package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What comes back from the topic, as after a crash that took the gate back to a checkpoint. */
class GateReadBackTest {
  private static final StormLimits LIMITS =
      new StormLimits(2, Duration.ofSeconds(10), Duration.ofSeconds(60));

  private final GateStory story = new GateStory(LIMITS);

  @Test
  void whatItToldItselfIsNotToldAgain() {
    story.open("d1", NOON);
    story.told(story.latest("d1"), NOON).until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("d1 opened open");
    assertThat(story.timers()).isEmpty();
  }

  @Test
  void alertOfWhichTheReplayKnowsNothingIsOverWhenTheStreamIsBeyondIt() {
    Alert lost = lost("d1", AlertState.ALERT_STATE_OPEN, A_MINUTE_LATER);
    story.told(lost, NOON);

    story.until(A_MINUTE_LATER);
    assertThat(story.told()).isEmpty();
    story.until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("d1 resolved resolved");
    assertThat(story.latest("d1").getVersion()).isGreaterThan(lost.getVersion());
    assertThat(story.latest("d1").getResolvedAtUnixNanos()).isGreaterThan(lost.getVersion());
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void replayThatOpensItAgainInTimeIsLeftAlone() {
    Alert lost = lost("d1", AlertState.ALERT_STATE_OPEN, A_MINUTE_LATER);
    story.told(lost, NOON).open("d1", A_MINUTE_LATER).until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("d1 opened open");
  }

  @Test
  void alertThatIsHeldIsToldAgainAboveTheWordThatEndedIt() {
    story.open("d1", NOON);
    Alert lost = lost("d1", AlertState.ALERT_STATE_RESOLVED, A_SECOND_LATER);
    story.told(lost, TWO_SECONDS_LATER).until(A_MINUTE_LATER);

    assertThat(story.told()).containsExactly("d1 opened open", "d1 opened open");
    assertThat(story.latest("d1").getVersion()).isGreaterThan(lost.getVersion());
    assertThat(story.told(story.latest("d1"), A_MINUTE_LATER).state().strays()).isEmpty();
  }

  @Test
  void laterWordOfTheTopicThatAgreesSettlesIt() {
    Alert opened = lost("d1", AlertState.ALERT_STATE_OPEN, NOON);
    Alert resolved = lost("d1", AlertState.ALERT_STATE_RESOLVED, A_SECOND_LATER);
    story.told(opened, NOON).told(resolved, NOON).until(AN_HOUR_LATER);

    assertThat(story.told()).isEmpty();
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void stormThatNeverBeganInTheReplayIsOver() {
    GateStory before = new GateStory(LIMITS);
    before.open("d1", NOON).open("d2", NOON).open("d3", NOON);

    story.told(before.storm(), NOON).until(A_MINUTE_LATER);

    assertThat(story.told()).containsExactly("storm resolved resolved");
  }

  @Test
  void stormThatLastsIsToldAgainAboveTheWordThatEndedIt() {
    story.open("d1", NOON).open("d2", NOON).open("d3", NOON);
    Alert over =
        story.storm().toBuilder()
            .setState(AlertState.ALERT_STATE_RESOLVED)
            .setVersion(story.storm().getVersion() + 1)
            .build();
    story.told(over, NOON).until(A_MINUTE_LATER);

    assertThat(story.told()).endsWith("storm members_changed open");
    assertThat(story.storm().getVersion()).isGreaterThan(over.getVersion());
  }

  @Test
  void stormThatIsOverForADayIsForgottenOnTheTopic() {
    Alert over = stormThatIsOver(story);
    int told = story.told().size();
    story.told(over, A_MINUTE_LATER).until(AN_HOUR_LATER);
    assertThat(story.told()).hasSize(told);

    story.until(NOON.plus(Duration.ofHours(25)));

    assertThat(story.decisions()).hasSize(told + 1).last().matches(Tombstone::is);
    assertThat(story.decisions().get(told).getFingerprint()).isEqualTo(over.getFingerprint());
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void stormThatBeginsAgainWithinTheDayStays() {
    Alert over = stormThatIsOver(story);
    story.told(over, A_MINUTE_LATER);
    story.open("d4", AN_HOUR_LATER).open("d5", AN_HOUR_LATER).open("d6", AN_HOUR_LATER);
    story.told(story.storm(), AN_HOUR_LATER).until(NOON.plus(Duration.ofHours(26)));

    assertThat(story.decisions()).noneMatch(Tombstone::is);
    assertThat(story.state().strays()).isEmpty();
  }

  private static Alert stormThatIsOver(GateStory story) {
    story.open("d1", NOON).open("d2", NOON).open("d3", NOON);
    story.close("d1", A_SECOND_LATER).close("d2", A_SECOND_LATER).close("d3", A_SECOND_LATER);
    story.until(A_MINUTE_LATER);
    assertThat(story.storm().getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    return story.storm();
  }

  private static Alert lost(String name, AlertState state, Instant time) {
    return GateStory.alert(name, state, "OPENED", time).setVersion(unixNanos(time)).build();
  }
}
