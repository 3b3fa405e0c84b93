package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices whose clocks are behind, alone and beside others that speak of the same alert. */
class DeviceClockTest {
  private static final Duration LOCAL_TIME = Duration.ofHours(5);

  private final AlertStory story = new AlertStory();
  private int sequence;

  @ParameterizedTest
  @ValueSource(strings = {"1970-01-01T00:00:07Z", "2024-11-20T12:00:00Z"})
  void hostThatRebootsWithoutAClockPagesAfterAClear(String itsTime) {
    raise(0, Duration.ZERO);
    clear(10, Duration.ZERO);
    Event raise = TestEvents.raise(++sequence, at(60));
    story.take(raise.toBuilder().setEventTimeUnixNanos(unixNanos(Instant.parse(itsTime))).build());

    assertThat(story.told())
        .containsExactly("opened/critical", "resolved/critical", "opened/critical");
    assertThat(story.last().getFirstSeenUnixNanos()).isEqualTo(unixNanos(at(60)));
  }

  @Test
  void routerThatTellsLocalTimePagesAfterATrapHasClearedTheSameAlert() {
    raise(0, Duration.ZERO);
    clear(10, Duration.ZERO);
    raise(20, LOCAL_TIME);
    clear(40, LOCAL_TIME);

    assertThat(story.told())
        .containsExactly(
            "opened/critical", "resolved/critical", "opened/critical", "resolved/critical");
    assertThat(story.last().getResolvedAtUnixNanos()).isEqualTo(unixNanos(at(40)));
  }

  @Test
  void clearThatAnotherClockTimesClosesWhatALocalTimeOpened() {
    raise(0, LOCAL_TIME);
    clear(10, Duration.ZERO);

    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void signalsOfOneWrongClockKeepTheirOrder() {
    raise(60, LOCAL_TIME);
    Event late = TestEvents.clear(++sequence, at(61));
    story.take(late.toBuilder().setEventTimeUnixNanos(unixNanos(at(30).minus(LOCAL_TIME))).build());

    assertThat(story.told()).containsExactly("opened/critical");
  }

  @Test
  void lateRaiseWithinTheBoundIsOlderThanItsClear() {
    raise(0, Duration.ZERO);
    clear(100, Duration.ZERO);
    raise(200, Duration.ofSeconds(150));

    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void refreshByAWrongClockKeepsTheAlertFromExpiring() {
    expiring(0, Duration.ZERO);
    expiring(50, LOCAL_TIME);
    story.until(at(100));
    assertThat(story.told()).containsExactly("opened/critical");

    story.until(at(111));
    assertThat(story.told()).containsExactly("opened/critical", "expired/critical");
  }

  private void raise(int receivedSecond, Duration behind) {
    story.take(behind(TestEvents.raise(++sequence, at(receivedSecond)), behind));
  }

  private void clear(int receivedSecond, Duration behind) {
    story.take(behind(TestEvents.clear(++sequence, at(receivedSecond)), behind));
  }

  private void expiring(int receivedSecond, Duration behind) {
    Event raise = behind(TestEvents.raise(++sequence, at(receivedSecond)), behind);
    Signal signal = UpdateSignals.of(raise).orElseThrow();
    story.take(signal.toBuilder().setExpiresAfterSeconds(60).build());
  }

  private static Event behind(Event event, Duration behind) {
    return event.toBuilder()
        .setEventTimeUnixNanos(event.getReceivedAtUnixNanos() - behind.toNanos())
        .build();
  }

  private static Instant at(int second) {
    return NOON.plusSeconds(second);
  }
}
