package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static io.tocsin.testsupport.TestEvents.clear;
import static io.tocsin.testsupport.TestEvents.raise;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.AlertState;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Three openings within five minutes make these alerts flap; one is calm. */
class AlertFlappingTest {
  @Test
  void thirdOpeningInTheWindowIsToldAsFlappingAndWhatFollowsIsCountedInSilence() {
    AlertStory story = flaps(7);

    assertThat(story.told())
        .containsExactly(
            "opened/critical",
            "resolved/critical",
            "opened/critical",
            "resolved/critical",
            "flapping_started/critical");
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_FLAPPING);
    assertThat(story.state().occurrence.updateCount).isEqualTo(5);
  }

  @Test
  void openingsThatAreFarApartDoNotFlap() {
    AlertStory story = new AlertStory();
    for (int i = 0; i < 10; i++) {
      Instant time = NOON.plusSeconds(i * 150L);
      story.take(raise(2 * i, time)).take(clear(2 * i + 1, time.plusSeconds(1)));
    }

    assertThat(story.told()).doesNotContain("flapping_started/critical").hasSize(20);
  }

  @Test
  void calmAlertThatIsOverIsResolvedAtItsLastClear() {
    AlertStory story = flaps(5);

    story.until(opening(3).plusSeconds(299));
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_FLAPPING);
    story.until(opening(3).plusSeconds(300));

    assertThat(story.told()).endsWith("flapping_started/critical", "flapping_ended/critical");
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(story.last().getResolvedAtUnixNanos()).isEqualTo(unixNanos(closing(4)));
    assertThat(story.last().getFirstSeenUnixNanos()).isEqualTo(unixNanos(opening(2)));
  }

  @Test
  void calmAlertThatIsStillActiveIsOpenAgainAndItsClearIsTold() {
    AlertStory story = flaps(5).take(raise(100, opening(5)));
    story.until(opening(4).plusSeconds(300));

    assertThat(story.told()).endsWith("flapping_started/critical", "flapping_ended/critical");
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(story.take(clear(101, opening(100))).told()).endsWith("resolved/critical");
  }

  @Test
  void flappingThatGoesOnIsToldAgainOnlyAsARefresh() {
    AlertStory story = new AlertStory();
    for (int i = 0; i < 60; i++) {
      story.take(raise(2 * i, opening(i))).until(opening(i)).take(clear(2 * i + 1, closing(i)));
    }

    assertThat(story.told()).filteredOn("flapping_started/critical"::equals).hasSize(1);
    assertThat(story.told().subList(5, story.told().size()))
        .hasSize(9)
        .containsOnly("refreshed/critical");
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_FLAPPING);
  }

  @Test
  void calmAlertFlapsAgainOnlyAfterAsManyOpenings() {
    AlertStory story = flaps(5).until(opening(3).plusSeconds(300));
    int before = story.decisions().size();

    Instant later = opening(4).plusSeconds(301);
    story.take(raise(200, later)).take(clear(201, later.plusSeconds(1)));

    assertThat(story.told().subList(before, story.told().size()))
        .containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void flappingAlertEndsEmpty() {
    AlertStory story = flaps(10);

    story.until(NOON.plus(AlertStory.TIMING.forgetAfter().multipliedBy(2)));

    assertThat(story.state()).isNull();
    assertThat(story.timers()).isEmpty();
  }

  /** So many times open for five seconds and closed for five. */
  private static AlertStory flaps(int times) {
    AlertStory story = new AlertStory();
    for (int i = 0; i < times; i++) {
      story.take(raise(2 * i, opening(i))).take(clear(2 * i + 1, closing(i)));
    }
    return story;
  }

  private static Instant opening(int i) {
    return NOON.plusSeconds(i * 10L);
  }

  private static Instant closing(int i) {
    return opening(i).plusSeconds(5);
  }
}
