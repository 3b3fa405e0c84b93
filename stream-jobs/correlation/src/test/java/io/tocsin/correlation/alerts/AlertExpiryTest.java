package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.HALF_A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.testsupport.TestEvents;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Alerts whose rule says after what silence they are over. */
class AlertExpiryTest {
  private static final int EXPIRY_SECONDS = 60;

  @Test
  void silenceEndsTheAlertAtTheTimeItWasToldToExpire() {
    AlertStory story = new AlertStory().take(raise(1, NOON)).take(raise(2, A_SECOND_LATER));
    assertThat(story.last().getExpiresAtUnixNanos()).isEqualTo(unixNanos(A_MINUTE_LATER));

    story.until(A_MINUTE_LATER);
    assertThat(story.told()).containsExactly("opened/critical");
    story.until(A_MINUTE_LATER.plusSeconds(1));

    assertThat(story.told()).containsExactly("opened/critical", "expired/critical");
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_EXPIRED);
    assertThat(story.last().getResolvedAtUnixNanos())
        .isEqualTo(unixNanos(A_MINUTE_LATER.plusSeconds(1)));
    assertThat(story.last().getUpdateCount()).isEqualTo(2);
    assertThat(story.last().hasExpiresAtUnixNanos()).isFalse();
  }

  @Test
  void eachRefreshPutsTheExpiryOffWithOneTimerAtATime() {
    AlertStory story = new AlertStory();
    for (int i = 0; i < 50; i++) {
      story.take(raise(i, NOON.plusSeconds(i * 30L))).until(NOON.plusSeconds(i * 30L));
      assertThat(story.timers()).hasSize(1);
    }

    assertThat(story.told()).doesNotContain("expired/critical");
  }

  @Test
  void clearBeforeTheExpiryResolves() {
    AlertStory story =
        new AlertStory().take(raise(1, NOON)).take(TestEvents.clear(2, HALF_A_MINUTE_LATER));

    story.until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void raiseThatIsLateForItsExpiryDoesNotReopen() {
    AlertStory story = new AlertStory().take(raise(1, A_SECOND_LATER)).until(AN_HOUR_LATER);

    story.take(raise(2, NOON)).until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("opened/critical", "expired/critical");
  }

  @Test
  void raiseAfterTheExpiryOpensAgain() {
    AlertStory story = new AlertStory().take(raise(1, NOON)).until(AN_HOUR_LATER);

    story.take(raise(2, AN_HOUR_LATER));

    assertThat(story.told())
        .containsExactly("opened/critical", "expired/critical", "opened/critical");
  }

  @Test
  void deviceWhoseClockIsAnHourBehindDoesNotExpireAtOnce() {
    Signal behind =
        raise(1, AN_HOUR_LATER).toBuilder().setEventTimeUnixNanos(unixNanos(NOON)).build();

    AlertStory story = new AlertStory().take(behind).until(AN_HOUR_LATER.plusSeconds(59));
    assertThat(story.told()).containsExactly("opened/critical");
    story.until(AN_HOUR_LATER.plusSeconds(60));

    assertThat(story.told()).containsExactly("opened/critical", "expired/critical");
  }

  @Test
  void alertThatExpiredIsForgottenWithItsTimers() {
    AlertStory story = new AlertStory().take(raise(1, NOON));

    story.until(NOON.plus(AlertStory.TIMING.forgetAfter().multipliedBy(2)));

    assertThat(story.state()).isNull();
    assertThat(story.timers()).isEmpty();
  }

  private static Signal raise(int sequence, Instant time) {
    return UpdateSignals.of(TestEvents.raise(sequence, time)).orElseThrow().toBuilder()
        .setExpiresAfterSeconds(EXPIRY_SECONDS)
        .build();
  }
}
