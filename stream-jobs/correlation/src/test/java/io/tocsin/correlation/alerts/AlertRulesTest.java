package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.HALF_A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static io.tocsin.testsupport.TestEvents.clear;
import static io.tocsin.testsupport.TestEvents.raise;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AlertRulesTest {
  private static final Instant FOUR_MINUTES_LATER = NOON.plusSeconds(240);

  @Test
  void firstRaiseOpensAtOnce() {
    Event event = raise(1, NOON);

    AlertStory story = AlertStory.of(event);

    assertThat(story.decisions())
        .containsExactly(
            Alert.newBuilder()
                .setFingerprint(Fingerprint.of(UpdateSignals.of(event).orElseThrow()))
                .putAllFingerprintFields(
                    Map.of("source", "hyak", "device", "n0418", "check", "node"))
                .setState(AlertState.ALERT_STATE_OPEN)
                .setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
                .setVersion(unixNanos(NOON))
                .setSeverity(Severity.SEVERITY_CRITICAL)
                .setSource("hyak")
                .setDevice("n0418")
                .setCheck("node")
                .setSummary("node down")
                .putLabels("rack", "b4")
                .setFirstSeenUnixNanos(unixNanos(NOON))
                .setLastSeenUnixNanos(unixNanos(NOON))
                .setUpdateCount(1)
                .setEventId(event.getEventId())
                .addRaisedBy(event.getEventId())
                .build());
    assertThat(story.timers()).isEmpty();
  }

  @Test
  void raisesWithinTheRefreshIntervalAreCountedInSilence() {
    AlertStory story =
        AlertStory.of(raise(1, NOON), raise(2, A_SECOND_LATER), raise(3, HALF_A_MINUTE_LATER));

    assertThat(story.told()).containsExactly("opened/critical");
    assertThat(story.state().occurrence.updateCount).isEqualTo(3);
    assertThat(story.state().occurrence.lastSeenUnixNanos)
        .isEqualTo(unixNanos(HALF_A_MINUTE_LATER));
  }

  @Test
  void firstFourEventsThatRaisedItAndTheNewestFourAreTold() {
    Event[] events = new Event[12];
    for (int i = 0; i < events.length; i++) {
      events[i] = raise(i + 1, NOON.plusSeconds(60L * i));
    }

    AlertStory story = AlertStory.of(events);

    assertThat(story.decisions().get(11).getRaisedByList())
        .containsExactlyElementsOf(
            IntStream.of(0, 1, 2, 3, 8, 9, 10, 11).mapToObj(i -> events[i].getEventId()).toList());
    story.take(clear(13, NOON.plusSeconds(720))).take(raise(14, NOON.plusSeconds(780)));
    assertThat(story.decisions().get(13).getRaisedByList())
        .containsExactly(raise(14, NOON.plusSeconds(780)).getEventId());
  }

  @Test
  void alertSaysWhichVersionOfItsRuleRaisedIt() {
    Signal signal =
        UpdateSignals.of(raise(1, NOON)).orElseThrow().toBuilder()
            .setRule("link")
            .setRulePushedAtUnixNanos(7)
            .build();

    assertThat(new AlertStory().take(signal).decisions())
        .singleElement()
        .extracting(Alert::getRulePushedAtUnixNanos)
        .isEqualTo(7L);
  }

  @Test
  void refreshIsToldOnceAnIntervalWithExactCounts() {
    AlertStory story =
        AlertStory.of(
            raise(1, NOON),
            raise(2, A_SECOND_LATER),
            raise(3, A_MINUTE_LATER),
            raise(4, A_MINUTE_LATER.plusSeconds(1)),
            raise(5, A_MINUTE_LATER.plusSeconds(60)));

    assertThat(story.told())
        .containsExactly("opened/critical", "refreshed/critical", "refreshed/critical");
    assertThat(story.decisions()).extracting(Alert::getUpdateCount).containsExactly(1L, 3L, 5L);
    assertThat(story.decisions())
        .extracting(Alert::getVersion)
        .containsExactly(
            unixNanos(NOON), unixNanos(A_MINUTE_LATER), unixNanos(A_MINUTE_LATER.plusSeconds(60)));
  }

  @Test
  void severityIsToldAtOnceInBothDirections() {
    AlertStory story =
        AlertStory.of(
            raise(1, NOON, Severity.SEVERITY_WARNING),
            raise(2, A_SECOND_LATER, Severity.SEVERITY_CRITICAL),
            raise(3, TWO_SECONDS_LATER, Severity.SEVERITY_MINOR));

    assertThat(story.told())
        .containsExactly("opened/warning", "severity_changed/critical", "severity_changed/minor");
    assertThat(story.last().getUpdateCount()).isEqualTo(3);
  }

  @Test
  void clearResolvesAtItsEventTimeAndKeepsTheLastSeverity() {
    AlertStory story = AlertStory.of(raise(1, NOON), clear(2, A_SECOND_LATER));

    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
    assertThat(story.last().getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(story.last().getResolvedAtUnixNanos()).isEqualTo(unixNanos(A_SECOND_LATER));
    assertThat(story.last().getFirstSeenUnixNanos()).isEqualTo(unixNanos(NOON));
    assertThat(story.last().getSummary()).isEqualTo("node down");
    assertThat(story.last().getUpdateCount()).isEqualTo(1);
  }

  @Test
  void clearOfAnUnknownAlertIsHarmless() {
    AlertStory story = AlertStory.of(clear(1, NOON));

    assertThat(story.decisions()).isEmpty();
    assertThat(story.state().isRaised).isFalse();
  }

  @Test
  void clearOfAResolvedAlertIsHarmless() {
    AlertStory story =
        AlertStory.of(raise(1, NOON), clear(2, A_SECOND_LATER), clear(3, TWO_SECONDS_LATER));

    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void lateClearDoesNotCloseANewerRaise() {
    AlertStory story = AlertStory.of(raise(1, TWO_SECONDS_LATER), clear(2, A_SECOND_LATER));

    assertThat(story.told()).containsExactly("opened/critical");
    assertThat(story.state().isRaised).isTrue();
  }

  @Test
  void lateRaiseDoesNotReopenAfterANewerClear() {
    AlertStory story =
        AlertStory.of(raise(1, NOON), clear(2, TWO_SECONDS_LATER), raise(3, A_SECOND_LATER));

    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void lateRaiseDoesNotOpenAfterANewerClearOfAnUnknownAlert() {
    AlertStory story = AlertStory.of(clear(1, TWO_SECONDS_LATER), raise(2, A_SECOND_LATER));

    assertThat(story.decisions()).isEmpty();
    assertThat(story.state().isRaised).isFalse();
  }

  @Test
  void lateRaiseOfTheSameOccurrenceIsCountedButDoesNotSayHowTheAlertLooks() {
    AlertStory story =
        AlertStory.of(
            raise(1, A_SECOND_LATER, Severity.SEVERITY_CRITICAL),
            raise(2, NOON, Severity.SEVERITY_WARNING));

    assertThat(story.told()).containsExactly("opened/critical");
    assertThat(story.state().occurrence.updateCount).isEqualTo(2);
    assertThat(story.state().occurrence.firstSeenUnixNanos).isEqualTo(unixNanos(NOON));
    assertThat(story.state().occurrence.severity).isEqualTo(Severity.SEVERITY_CRITICAL);
  }

  @Test
  void atEqualTimesTheLaterArrivalWins() {
    assertThat(AlertStory.of(raise(1, NOON), clear(2, NOON)).state().isRaised).isFalse();
    assertThat(AlertStory.of(clear(1, NOON), raise(2, NOON)).state().isRaised).isTrue();
    assertThat(AlertStory.of(raise(1, NOON), clear(2, NOON), raise(3, NOON)).told())
        .containsExactly("opened/critical", "resolved/critical", "opened/critical");
  }

  @Test
  void repeatedEventIsCountedOnce() {
    Event second = raise(2, A_MINUTE_LATER);

    AlertStory story = AlertStory.of(raise(1, NOON), second, second);

    assertThat(story.told()).containsExactly("opened/critical", "refreshed/critical");
    assertThat(story.state().occurrence.updateCount).isEqualTo(2);
  }

  @Test
  void reopeningStartsANewOccurrenceAndTheVersionGoesOn() {
    AlertStory story =
        AlertStory.of(
            raise(1, NOON),
            raise(2, A_SECOND_LATER),
            clear(3, TWO_SECONDS_LATER),
            raise(4, HALF_A_MINUTE_LATER));

    assertThat(story.told())
        .containsExactly("opened/critical", "resolved/critical", "opened/critical");
    assertThat(story.last().getVersion()).isEqualTo(unixNanos(HALF_A_MINUTE_LATER));
    assertThat(story.last().getUpdateCount()).isEqualTo(1);
    assertThat(story.last().getFirstSeenUnixNanos()).isEqualTo(unixNanos(HALF_A_MINUTE_LATER));
    assertThat(story.last().hasResolvedAtUnixNanos()).isFalse();
  }

  @Test
  void versionGrowsWhereTheAgentsClockDoesNot() {
    AlertStory story = AlertStory.of(raise(1, NOON), clear(2, NOON), raise(3, NOON));

    assertThat(story.decisions()).extracting(Alert::getVersion).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void repeatedEventsAreKnownAgainInAnyOrder() {
    Event first = raise(1, NOON);
    Event second = raise(2, A_SECOND_LATER);
    Event third = raise(3, TWO_SECONDS_LATER);

    AlertStory story = AlertStory.of(first, second, third, first, second, third);

    assertThat(story.state().occurrence.updateCount).isEqualTo(3);
  }

  @Test
  void repeatedRaiseOfTheTimeOfItsClearDoesNotOpenAgain() {
    Event raise = raise(1, NOON);

    assertThat(AlertStory.of(raise, clear(2, NOON), raise).told())
        .containsExactly("opened/critical", "resolved/critical");
  }

  @Test
  void alertThatIsOverIsForgottenADayAfterTheLastNewsOfIt() {
    AlertStory story = AlertStory.of(clear(1, TWO_SECONDS_LATER), lateBy(raise(2, NOON)));

    story.until(TWO_SECONDS_LATER.plus(AlertStory.TIMING.forgetAfter()));
    assertThat(story.state()).isNotNull();
    story.until(FOUR_MINUTES_LATER.plus(AlertStory.TIMING.forgetAfter()));

    assertThat(story.state()).isNull();
    assertThat(story.timers()).isEmpty();
    assertThat(story.told()).isEmpty();
    assertThat(story.forgotten()).isEmpty();
  }

  @Test
  void alertThatWasToldIsToldToBeForgottenADayAfterItsEndAndOnce() {
    AlertStory story = AlertStory.of(raise(1, NOON), clear(2, TWO_SECONDS_LATER));
    story.until(NOON.plus(AlertStory.TIMING.forgetAfter()));
    assertThat(story.forgotten()).isEmpty();

    story.until(NOON.plus(AlertStory.TIMING.forgetAfter().multipliedBy(3)));

    assertThat(story.forgotten()).containsExactly(story.last().getFingerprint());
    assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
  }

  private static Event lateBy(Event event) {
    return event.toBuilder().setReceivedAtUnixNanos(unixNanos(FOUR_MINUTES_LATER)).build();
  }

  @Test
  void openAlertWithoutExpiryIsNeverForgotten() {
    AlertStory story = AlertStory.of(clear(1, NOON), raise(2, A_SECOND_LATER));

    story.until(NOON.plus(Duration.ofDays(400)));

    assertThat(story.state().isRaised).isTrue();
    assertThat(story.timers()).isEmpty();
  }

  @Test
  void nextLifeOfAForgottenAlertHasAHigherVersion() {
    AlertStory story = AlertStory.of(raise(1, NOON), clear(2, A_SECOND_LATER));
    long before = story.last().getVersion();

    story.until(NOON.plus(Duration.ofDays(2)));
    assertThat(story.state()).isNull();
    story.take(raise(3, NOON.plus(Duration.ofDays(3))));

    assertThat(story.last().getVersion()).isGreaterThan(before);
  }

  @Test
  void clearClosesWhatADeviceWithAClockAheadHasRaised() {
    Event ahead =
        raise(1, NOON).toBuilder().setEventTimeUnixNanos(unixNanos(AN_HOUR_LATER)).build();
    Event afterTheEndOfTime = raise(1, NOON).toBuilder().setEventTimeUnixNanos(-1).build();

    for (Event raised : List.of(ahead, afterTheEndOfTime)) {
      AlertStory story = AlertStory.of(raised, clear(2, A_SECOND_LATER));

      assertThat(story.told()).containsExactly("opened/critical", "resolved/critical");
      assertThat(story.last().getFirstSeenUnixNanos()).isEqualTo(unixNanos(NOON));
    }
  }
}
