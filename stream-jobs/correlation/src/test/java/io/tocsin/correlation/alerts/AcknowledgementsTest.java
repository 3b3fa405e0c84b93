package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.HALF_A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Acknowledgement.Action;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people say of alerts, at the gate. */
class AcknowledgementsTest {
  private static final StormLimits LIMITS =
      new StormLimits(2, Duration.ofSeconds(10), Duration.ofSeconds(60));

  private final GateStory story = new GateStory(LIMITS);

  @Test
  void acknowledgementIsToldAndTravelsWithEveryTransitionAfterIt() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).setNote("on my way").build());
    story.refresh("d1", A_MINUTE_LATER);

    assertThat(story.told())
        .containsExactly("d1 opened open", "d1 acknowledged open", "d1 refreshed open");
    Alert told = story.decisions().get(1);
    assertThat(told.getAcknowledgedBy()).isEqualTo("ada");
    assertThat(told.getAcknowledgedAtUnixNanos()).isEqualTo(unixNanos(A_SECOND_LATER));
    assertThat(told.hasAcknowledgedUntilUnixNanos()).isFalse();
    assertThat(told.getNote()).isEqualTo("on my way");
    assertThat(told.getNotedBy()).isEqualTo("ada");
    assertThat(told.getSaidAtUnixNanos()).isEqualTo(unixNanos(A_SECOND_LATER));
    assertThat(told.getEventId()).isEqualTo("word at " + A_SECOND_LATER);
    assertThat(told.getVersion()).isGreaterThan(story.decisions().get(0).getVersion());
    Alert refreshed = story.latest("d1");
    assertThat(refreshed.getAcknowledgedBy()).isEqualTo("ada");
    assertThat(refreshed.hasSaidAtUnixNanos()).isFalse();
    assertThat(refreshed.getEventId()).isEqualTo("event of d1");
  }

  @Test
  void itEndsWithTheAlertAndHidesNoReopening() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).build());
    story.close("d1", TWO_SECONDS_LATER).open("d1", A_MINUTE_LATER);

    assertThat(story.latest("d1").getAcknowledgedBy()).isEmpty();
    assertThat(story.latest("d1").getNote()).isEmpty();
    story.close("d1", AN_HOUR_LATER).until(AN_HOUR_LATER.plusSeconds(60));
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void itEndsWhenTheAlertBecomesWorseAndLeavesTheNote() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).setNote("cable").build());
    story.take(severity("d1", Severity.SEVERITY_CRITICAL, TWO_SECONDS_LATER));

    assertThat(story.told()).endsWith("d1 severity_changed open");
    assertThat(story.latest("d1").getAcknowledgedBy()).isEmpty();
    assertThat(story.latest("d1").getNote()).isEqualTo("cable");
  }

  @Test
  void itLastsWhileTheAlertBecomesBetter() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).build());
    story.take(severity("d1", Severity.SEVERITY_MINOR, TWO_SECONDS_LATER));

    assertThat(story.latest("d1").getAcknowledgedBy()).isEqualTo("ada");
  }

  @Test
  void severityThatThePersonSawIsCoveredWhateverCameBetween() {
    story.open("d1", NOON);
    story.said(acknowledged("d1", A_SECOND_LATER).setSeverity(Severity.SEVERITY_MAJOR).build());
    story.take(severity("d1", Severity.SEVERITY_MINOR, TWO_SECONDS_LATER));
    story.take(severity("d1", Severity.SEVERITY_MAJOR, HALF_A_MINUTE_LATER));
    assertThat(story.latest("d1").getAcknowledgedBy()).isEqualTo("ada");

    story.take(severity("d1", Severity.SEVERITY_CRITICAL, A_MINUTE_LATER));
    assertThat(story.latest("d1").getAcknowledgedBy()).isEmpty();
  }

  @Test
  void worseSeverityThanThePersonSawIsNotAcknowledged() {
    story.open("d1", NOON);
    story.said(acknowledged("d1", A_SECOND_LATER).setSeverity(Severity.SEVERITY_MINOR).build());

    assertThat(story.told()).containsExactly("d1 opened open");
    assertThat(story.droppedWords()).isEqualTo(1);
  }

  @Test
  void itEndsAtItsTimeAndIsToldToEnd() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).setForSeconds(59).build());
    assertThat(story.latest("d1").getAcknowledgedUntilUnixNanos())
        .isEqualTo(unixNanos(A_MINUTE_LATER));

    story.restart().until(A_MINUTE_LATER.minusSeconds(1));
    assertThat(story.latest("d1").getAcknowledgedBy()).isEqualTo("ada");
    story.until(AN_HOUR_LATER);

    assertThat(story.told())
        .containsExactly("d1 opened open", "d1 acknowledged open", "d1 unacknowledged open");
    assertThat(story.latest("d1").getAcknowledgedBy()).isEmpty();
    assertThat(story.latest("d1").getSaidAtUnixNanos()).isEqualTo(unixNanos(A_MINUTE_LATER));
    assertThat(story.timers()).isEmpty();
  }

  @Test
  void itIsWithdrawnOnce() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).build());
    story.said(word("d1", Action.ACTION_UNACKNOWLEDGE, TWO_SECONDS_LATER).build());
    story.said(word("d1", Action.ACTION_UNACKNOWLEDGE, A_MINUTE_LATER).build());

    assertThat(story.told()).endsWith("d1 acknowledged open", "d1 unacknowledged open");
    assertThat(story.latest("d1").getAcknowledgedBy()).isEmpty();
  }

  @Test
  void wordThatIsDeliveredTwiceIsOneAlsoAfterItWasWithdrawn() {
    Acknowledgement word = acknowledged("d1", A_SECOND_LATER).build();
    story.open("d1", NOON).said(word).said(word);
    story.said(word("d1", Action.ACTION_UNACKNOWLEDGE, TWO_SECONDS_LATER).build()).said(word);

    assertThat(story.told())
        .containsExactly("d1 opened open", "d1 acknowledged open", "d1 unacknowledged open");
  }

  @Test
  void noteIsToldAndAcknowledgesNothing() {
    story.open("d1", NOON);
    story.said(word("d1", Action.ACTION_NOTE, A_SECOND_LATER).setNote("called them").build());

    assertThat(story.told()).endsWith("d1 noted open");
    assertThat(story.latest("d1").getNote()).isEqualTo("called them");
    assertThat(story.latest("d1").getAcknowledgedBy()).isEmpty();
  }

  @Test
  void wordOfAnUnknownAlertIsDroppedAndCountedWhenTheStreamIsBeyondIt() {
    story.said(acknowledged("stranger", NOON).build());
    assertThat(story.droppedWords()).isZero();
    story.until(A_MINUTE_LATER);

    assertThat(story.told()).isEmpty();
    assertThat(story.droppedWords()).isEqualTo(1);
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void wordsOfUnknownAlertsTakeBoundedRoom() {
    for (int i = 0; i < Acknowledgements.MAX_WAITING + 5; i++) {
      story.said(acknowledged("stranger " + i, NOON).build());
    }
    story.restart().said(acknowledged("one more", NOON).build());
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).build());

    assertThat(story.droppedWords()).isEqualTo(6);
    assertThat(story.latest("d1").getAcknowledgedBy()).isEqualTo("ada");
  }

  @Test
  void wordOfLongAgoDoesNotMakeTheGateTickSinceThen() {
    Instant longAgo = NOON.minus(Duration.ofDays(7));
    story.said(acknowledged("stranger", longAgo).build());
    story.open("d1", NOON).until(longAgo.plusSeconds(60));

    assertThat(story.droppedWords()).isEqualTo(1);
    assertThat(story.timers().first()).isGreaterThanOrEqualTo(unixNanos(NOON));
  }

  @Test
  void wordThatIsReadBeforeTheAlertWaitsForIt() {
    story.said(acknowledged("d1", TWO_SECONDS_LATER).build()).open("d1", A_SECOND_LATER);

    assertThat(story.told()).containsExactly("d1 opened open", "d1 acknowledged open");
    assertThat(story.droppedWords()).isZero();
  }

  @Test
  void wordOfAnEarlierOccurrenceIsNotOfThisOne() {
    story.said(acknowledged("d1", NOON).build()).open("d1", A_SECOND_LATER);

    assertThat(story.told()).containsExactly("d1 opened open");
    assertThat(story.droppedWords()).isEqualTo(1);
  }

  @Test
  void stormIsAcknowledgedLikeAnyAlert() {
    story.open("d1", NOON).open("d2", NOON).open("d3", NOON);
    String storm = story.storm().getFingerprint();
    story.said(acknowledged(storm, A_SECOND_LATER).build());

    assertThat(story.told()).endsWith("storm acknowledged open");
    story.open("d4", TWO_SECONDS_LATER).open("d5", TWO_SECONDS_LATER).open("d6", TWO_SECONDS_LATER);
    assertThat(story.storm().getMemberCount()).isEqualTo(6);
    assertThat(story.storm().getAcknowledgedBy()).isEqualTo("ada");
    for (int i = 1; i <= 6; i++) {
      story.close("d" + i, HALF_A_MINUTE_LATER);
    }
    story.until(AN_HOUR_LATER);
    assertThat(story.storm().getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(story.storm().getAcknowledgedBy()).isEmpty();
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void wordOfTheTopicWithoutTheAcknowledgementIsToldAgain() {
    story.open("d1", NOON).said(acknowledged("d1", A_SECOND_LATER).build());
    Alert withoutIt =
        story.decisions().get(0).toBuilder().setVersion(unixNanos(AN_HOUR_LATER)).build();
    story.told(withoutIt, TWO_SECONDS_LATER).until(AN_HOUR_LATER.plusSeconds(60));

    assertThat(story.latest("d1").getAcknowledgedBy()).isEqualTo("ada");
    assertThat(story.latest("d1").getVersion()).isGreaterThan(withoutIt.getVersion());
  }

  /** As after a crash, which goes back with one topic and not with the other. */
  @ParameterizedTest
  @ValueSource(longs = {1, 22, 333, 4_444})
  void whoIsOnItDoesNotDependOnWhatIsReadFirst(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      List<Alert> transitions = transitions(random);
      List<Acknowledgement> words = words(random);
      Alert undisturbed = played(null, transitions, words);
      for (int order = 0; order < 5; order++) {
        assertThat(standing(played(random, transitions, words)))
            .as("seed %d, story %d: %s, %s", seed, i, transitions, words)
            .isEqualTo(standing(undisturbed));
      }
    }
  }

  private static List<String> standing(Alert alert) {
    return List.of(
        alert.getState().toString(),
        alert.getSeverity().toString(),
        alert.getAcknowledgedBy(),
        Long.toString(alert.getAcknowledgedAtUnixNanos()),
        alert.getNote());
  }

  private static List<Alert> transitions(Random random) {
    List<Alert> transitions = new ArrayList<>();
    boolean isOpen = false;
    Severity severity = Severity.SEVERITY_MAJOR;
    for (int i = 0; i < 8; i++) {
      // At even milliseconds; words are said at odd ones.
      Instant time = NOON.plusMillis(i * 1_000L + random.nextInt(400) * 2L);
      AlertState state = AlertState.ALERT_STATE_OPEN;
      String transition = "SEVERITY_CHANGED";
      if (!isOpen) {
        transition = "OPENED";
        isOpen = true;
      } else if (random.nextInt(3) == 0) {
        transition = "RESOLVED";
        state = AlertState.ALERT_STATE_RESOLVED;
        isOpen = false;
      }
      if (state == AlertState.ALERT_STATE_OPEN) {
        severity = Severity.forNumber(3 + random.nextInt(4));
      }
      transitions.add(GateStory.alert("d1", state, transition, time).setSeverity(severity).build());
    }
    return transitions;
  }

  private static List<Acknowledgement> words(Random random) {
    List<Acknowledgement> words = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Instant time = NOON.plusMillis(i * 2_000L + 1 + random.nextInt(900) * 2L);
      Action action =
          List.of(
                  Action.ACTION_ACKNOWLEDGE,
                  Action.ACTION_ACKNOWLEDGE,
                  Action.ACTION_UNACKNOWLEDGE,
                  Action.ACTION_NOTE)
              .get(random.nextInt(4));
      Acknowledgement.Builder word = word("d1", action, time).setBy("person " + i);
      if (action == Action.ACTION_NOTE) {
        word.setNote("note " + i);
      }
      words.add(word.build());
    }
    return words;
  }

  /** Both in their order, and by time where there is no random; then the stream goes on. */
  private static Alert played(Random random, List<Alert> transitions, List<Acknowledgement> words) {
    GateStory story = new GateStory(LIMITS);
    int read = 0;
    int said = 0;
    while (read < transitions.size() || said < words.size()) {
      boolean isWordNext =
          read == transitions.size()
              || said < words.size()
                  && (random == null
                      ? words.get(said).getSaidAtUnixNanos() < transitions.get(read).getVersion()
                      : random.nextBoolean());
      if (isWordNext) {
        story.said(words.get(said++));
      } else {
        story.take(transitions.get(read++));
      }
    }
    story.until(AN_HOUR_LATER);
    return story.latest("d1");
  }

  private static Alert severity(String name, Severity severity, Instant time) {
    return GateStory.alert(name, AlertState.ALERT_STATE_OPEN, "SEVERITY_CHANGED", time)
        .setSeverity(severity)
        .build();
  }

  private static Acknowledgement.Builder acknowledged(String fingerprint, Instant time) {
    return word(fingerprint, Action.ACTION_ACKNOWLEDGE, time);
  }

  private static Acknowledgement.Builder word(String fingerprint, Action action, Instant time) {
    return Acknowledgement.newBuilder()
        .setAcknowledgementId("word at " + time)
        .setFingerprint(fingerprint)
        .setAction(action)
        .setBy("ada")
        .setSaidAtUnixNanos(unixNanos(time));
  }
}
