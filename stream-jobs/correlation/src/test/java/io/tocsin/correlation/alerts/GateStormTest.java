package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More than four openings in ten seconds are a storm here; two are few. */
class GateStormTest {
  private static final StormLimits LIMITS =
      new StormLimits(4, Duration.ofSeconds(10), Duration.ofSeconds(60));

  private final GateStory story = new GateStory(LIMITS);

  @Test
  void asManyOpeningsAsAllowedPageByThemselves() {
    openMany(4);

    assertThat(story.told())
        .containsExactly("d0 opened open", "d1 opened open", "d2 opened open", "d3 opened open");
  }

  @Test
  void oneMoreMakesAStormOfAllOfThem() {
    openMany(5);

    assertThat(story.toldAfter(4))
        .containsExactly(
            "storm opened open",
            "d0 suppressed suppressed",
            "d1 suppressed suppressed",
            "d2 suppressed suppressed",
            "d3 suppressed suppressed",
            "d4 opened suppressed");
    Alert storm = story.storm();
    assertThat(storm.getMemberCount()).isEqualTo(5);
    assertThat(storm.getSource()).isEqualTo("hyak");
    assertThat(storm.getFirstSeenUnixNanos()).isEqualTo(unixNanos(NOON));
    assertThat(storm.getSummary())
        .isEqualTo(
            "storm: 5 alerts of source hyak, 5 still open: d0 node, d1 node, d2 node, d3 node, d4 node");
    assertThat(story.latest("d0").getStormId()).isEqualTo(storm.getFingerprint());
    assertThat(story.latest("d4").getCause()).isEqualTo("storm:" + storm.getFingerprint());
  }

  @Test
  void openingsOfOneMomentThatAreReadLateAreStillOneStorm() {
    openMany(4);
    story.until(NOON.plusSeconds(25)).open("late", at(400));

    assertThat(story.toldAfter(4))
        .startsWith("storm opened open")
        .endsWith("late opened suppressed");
  }

  /** An agent tells in seconds what it had spooled for an hour, while others tell the present. */
  @Test
  void openingsOfOneMomentThatComeOutOfASpoolAreOneStorm() {
    for (int i = 0; i < 5; i++) {
      Instant present = AN_HOUR_LATER.plusSeconds(i);
      story.take(opened("d" + i, at(i * 100)), unixNanos(present)).until(present.plusSeconds(1));
    }

    assertThat(story.toldAfter(4)).startsWith("storm opened open").endsWith("d4 opened suppressed");
  }

  @Test
  void openingsOverALongerTimeThatComeOutOfASpoolAreNoStorm() {
    for (int i = 0; i < 50; i++) {
      story.take(opened("d" + i, NOON.plusSeconds(i * 3L)), unixNanos(AN_HOUR_LATER));
    }

    assertThat(story.told()).hasSize(50).allMatch(text -> text.endsWith(" opened open"));
    story.until(AN_HOUR_LATER.plusSeconds(40));
    assertThat(story.state().groups()).isEmpty();
  }

  private static Alert opened(String name, Instant time) {
    return GateStory.alert(name, AlertState.ALERT_STATE_OPEN, "OPENED", time).build();
  }

  @Test
  void anOpeningFromBeforeAllThatAreRememberedJoinsTheirStorm() {
    openMany(20);
    int before = story.told().size();
    story.open("late", NOON.minusMillis(1));

    assertThat(story.toldAfter(before)).containsExactly("late opened suppressed");
  }

  @Test
  void openingsOverALongerTimeAreNoStorm() {
    for (int i = 0; i < 50; i++) {
      story.open("d" + i, NOON.plusSeconds(i * 3L)).until(NOON.plusSeconds(i * 3L));
    }

    assertThat(story.told()).hasSize(50).allMatch(text -> text.endsWith(" opened open"));
  }

  @Test
  void oneAlertThatOpensAgainAndAgainIsNoStorm() {
    for (int i = 0; i < 20; i++) {
      story.open("d1", at(i * 100)).close("d1", at(i * 100 + 50));
    }

    assertThat(story.told()).noneMatch(text -> text.startsWith("storm"));
  }

  @Test
  void laterMembersJoinInSilenceAndTheStormTellsWhenTheyHaveDoubledAndWhenItIsCalm() {
    openMany(17);
    story.until(NOON.plusSeconds(30));

    assertThat(story.told())
        .filteredOn(text -> text.startsWith("storm"))
        .containsExactly(
            "storm opened open", "storm members_changed open", "storm members_changed open");
    assertThat(story.decisions())
        .filteredOn(alert -> alert.getCheck().equals("storm"))
        .extracting(Alert::getMemberCount)
        .containsExactly(5, 10, 17);
    assertThat(story.storm().getSummary()).contains("17 alerts", "and 12 more");
    assertThat(story.told()).filteredOn(text -> text.endsWith("opened suppressed")).hasSize(13);
  }

  @Test
  void memberThatOutlivesTheStormPagesByItself() {
    openMany(8);
    for (int i = 0; i < 7; i++) {
      story.close("d" + i, NOON.plusSeconds(5));
    }
    int before = story.decisions().size();

    story.until(NOON.plusSeconds(14));
    assertThat(story.toldAfter(before)).noneMatch(text -> text.contains("unsuppressed"));
    story.until(NOON.plusSeconds(16));

    assertThat(story.toldAfter(before)).endsWith("d7 unsuppressed open", "storm resolved resolved");
    assertThat(story.latest("d7").getCause()).isEmpty();
    assertThat(story.latest("d7").getStormId()).isEmpty();
    assertThat(story.storm().getMemberCount()).isEqualTo(8);
    assertThat(story.close("d7", NOON.plusSeconds(60)).told()).endsWith("d7 resolved resolved");
  }

  @Test
  void stormStaysWhileManyMembersAreOpen() {
    openMany(8);

    story.until(AN_HOUR_LATER);

    assertThat(story.storm().getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(story.latest("d7").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
  }

  @Test
  void openingThatComesWhenTheStormIsCalmPagesByItself() {
    openMany(8);
    story.until(NOON.plusSeconds(60));

    story.open("late", NOON.plusSeconds(60));

    assertThat(story.told()).endsWith("late opened open");
  }

  @Test
  void noisyMembersAreCountedOnceAndNeverPage() {
    openMany(8);
    for (int i = 0; i < 30; i++) {
      story.close("d1", at(1_000 + i * 100)).open("d1", at(1_050 + i * 100));
    }
    story.until(NOON.plusSeconds(30));

    assertThat(story.storm().getMemberCount()).isEqualTo(8);
    assertThat(story.toldAfter(6)).doesNotContain("d1 opened open");
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
  }

  @Test
  void memberThatIsOverBeforeTheStormIsSeenCountsOnce() {
    story.open("d0", NOON).close("d0", NOON);
    for (int i = 1; i < 5; i++) {
      story.open("d" + i, NOON);
    }
    story.open("d0", NOON);

    assertThat(story.told()).endsWith("d4 opened suppressed", "d0 opened suppressed");
    story.until(NOON.plusSeconds(30));
    assertThat(story.storm().getMemberCount()).isEqualTo(5);
  }

  @Test
  void stormOfACheckOverManySources() {
    for (int i = 0; i < 5; i++) {
      story.take(alert("d" + i).setSource("s" + i).setCheck("bgp: neighbor 192.0.2." + i).build());
    }

    assertThat(story.storm().getSummary()).startsWith("storm: 5 alerts of check bgp,");
    assertThat(story.storm().getSource()).isEqualTo("tocsin");
    assertThat(story.storm().getFingerprintFieldsMap())
        .containsEntry("storm", "check")
        .containsEntry("check", "bgp");
  }

  @Test
  void stormOfASiteOverManySourcesAndChecks() {
    for (int i = 0; i < 5; i++) {
      story.take(alert("d" + i).setSource("s" + i).setCheck("check" + i).setSite("zrh").build());
    }

    assertThat(story.storm().getSummary()).startsWith("storm: 5 alerts of site zrh,");
    assertThat(story.storm().getSite()).isEqualTo("zrh");
  }

  @Test
  void membersOfOneStormStartNoOther() {
    openMany(8);

    story.take(alert("other").setSource("else").build());

    assertThat(story.told()).endsWith("other opened open");
    assertThat(story.told()).filteredOn("storm opened open"::equals).hasSize(1);
  }

  @Test
  void stormIsAsSevereAsItsWorstMemberAndHasWhatAllMembersShare() {
    for (int i = 0; i < 5; i++) {
      story.take(
          alert("d" + i)
              .setSeverity(i == 2 ? Severity.SEVERITY_CRITICAL : Severity.SEVERITY_MINOR)
              .setSite(i < 3 ? "zrh" : "bsl")
              .putLabels("team", "network")
              .putLabels("rack", "r" + i)
              .build());
    }

    assertThat(story.storm().getSeverity()).isEqualTo(Severity.SEVERITY_CRITICAL);
    assertThat(story.storm().getSite()).isEmpty();
    assertThat(story.storm().getLabelsMap()).containsOnlyKeys("team");
  }

  @Test
  void refreshOfAMemberKeepsItSuppressed() {
    openMany(5);

    story.refresh("d1", NOON.plusSeconds(70));

    assertThat(story.told()).endsWith("d1 refreshed suppressed");
    assertThat(story.latest("d1").getStormId()).isEqualTo(story.storm().getFingerprint());
  }

  @Test
  void secondStormOfAGroupIsTheSameAlertWithAHigherVersion() {
    openMany(5);
    long first = story.storm().getVersion();
    for (int i = 0; i < 5; i++) {
      story.close("d" + i, NOON.plusSeconds(1));
    }
    story.until(AN_HOUR_LATER);
    for (int i = 0; i < 5; i++) {
      story.open("e" + i, AN_HOUR_LATER);
    }

    assertThat(story.storm().getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(story.storm().getVersion()).isGreaterThan(first);
    assertThat(story.decisions())
        .filteredOn(alert -> alert.getCheck().equals("storm"))
        .extracting(Alert::getFingerprint)
        .containsOnly(story.storm().getFingerprint());
  }

  @Test
  void nothingIsLeftWhenAllIsOver() {
    openMany(20);
    story.restart();
    for (int i = 0; i < 20; i++) {
      story.close("d" + i, NOON.plusSeconds(20));
    }

    story.until(AN_HOUR_LATER);

    assertThat(story.state().isEmpty()).isTrue();
    assertThat(story.timers()).isEmpty();
    assertThat(story.latest().values())
        .extracting(Alert::getState)
        .containsOnly(AlertState.ALERT_STATE_RESOLVED);
  }

  @ParameterizedTest
  @CsvSource({
    "node, node",
    "bgp: neighbor, bgp",
    "disk:/var, disk",
    "if.down, if",
    "a(b), a",
    "'', ''"
  })
  void classOfACheckIsItsFirstWord(String check, String expected) {
    assertThat(Storms.classOf(check)).isEqualTo(expected);
  }

  private void openMany(int count) {
    for (int i = 0; i < count; i++) {
      story.open("d" + i, at(i));
    }
  }

  private static Alert.Builder alert(String device) {
    return GateStory.alert(device, AlertState.ALERT_STATE_OPEN, "OPENED", NOON);
  }

  private static Instant at(long millis) {
    return NOON.plusMillis(millis);
  }
}
