package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.HALF_A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.TWO_SECONDS_LATER;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.alerts.v1.AlertState;
import io.tocsin.correlation.calendar.Recurrence;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Dependencies and maintenance windows. */
class GatePolicyTest {
  private static final Dependency ACCESS_BEHIND_CORES =
      new Dependency("access", device("acc*"), List.of(device("core1"), device("core2")));
  private static final MaintenanceWindow WORK_ON_D1 = window("work", "d1", NOON, A_MINUTE_LATER);

  private final GateStory story = new GateStory(StormLimits.DEFAULT);

  @Test
  void alertIsSuppressedWhenAllItsUpstreamsAreDown() {
    story.policies(NOON, ACCESS_BEHIND_CORES).open("core1", NOON).open("core2", NOON);

    story.open("acc1", A_SECOND_LATER);

    assertThat(story.told())
        .containsExactly("core1 opened open", "core2 opened open", "acc1 opened suppressed");
    assertThat(story.latest("acc1").getCause()).isEqualTo("dependency:core1,core2");
  }

  @Test
  void alertSaysAllThatHoldsItBackAndSinceWhen() {
    story.policies(NOON, ACCESS_BEHIND_CORES, window("work", "acc1", NOON, AN_HOUR_LATER));
    story.open("core1", NOON).open("core2", NOON).open("acc1", A_SECOND_LATER);

    assertThat(heldBack("acc1"))
        .containsExactly(
            "maintenance:work work " + unixNanos(A_SECOND_LATER),
            "dependency:core1,core2 access " + unixNanos(A_SECOND_LATER));

    story.until(AN_HOUR_LATER);
    assertThat(heldBack("acc1"))
        .containsExactly("dependency:core1,core2 access " + unixNanos(A_SECOND_LATER));
    story.close("core1", AN_HOUR_LATER.plusSeconds(1));
    assertThat(heldBack("acc1")).isEmpty();
    story.open("core1", AN_HOUR_LATER.plusSeconds(2));
    assertThat(heldBack("acc1"))
        .containsExactly(
            "dependency:core1,core2 access " + unixNanos(AN_HOUR_LATER.plusSeconds(2)));
  }

  private List<String> heldBack(String name) {
    return story.latest(name).getHeldBackList().stream()
        .map(held -> held.getCause() + " " + held.getName() + " " + held.getSinceUnixNanos())
        .toList();
  }

  @Test
  void alertThatIsOverSaysWhatHeldItBackLast() {
    story.policies(NOON, WORK_ON_D1).open("d1", A_SECOND_LATER).close("d1", TWO_SECONDS_LATER);

    assertThat(heldBack("d1"))
        .containsExactly("maintenance:work work " + unixNanos(A_SECOND_LATER));
  }

  @Test
  void oneUpstreamThatIsUpLetsTheAlertPage() {
    story.policies(NOON, ACCESS_BEHIND_CORES).open("core1", NOON);

    story.open("acc1", A_SECOND_LATER);

    assertThat(story.told()).endsWith("acc1 opened open");
  }

  @Test
  void agentThatIsTwoHoursAheadEndsMaintenanceForNobodyElse() {
    story.policies(NOON, WORK_ON_D1).open("d1", A_SECOND_LATER);

    openAhead("d2", NOON.plusSeconds(7_200), TWO_SECONDS_LATER);
    story.open("d1/bgp", TWO_SECONDS_LATER);

    assertThat(story.told())
        .containsExactly("d1 opened suppressed", "d2 opened open", "d1/bgp opened suppressed");
  }

  @Test
  void agentThatIsTwoHoursAheadStartsMaintenanceForNobodyElse() {
    story.policies(NOON, window("work", "d1", A_MINUTE_LATER, AN_HOUR_LATER));

    openAhead("d2", HALF_A_MINUTE_LATER.plusSeconds(600), NOON);
    story.open("d1", A_SECOND_LATER);

    assertThat(story.told()).endsWith("d1 opened open");
  }

  @Test
  void clockIsThatOfBeforeTheRestart() {
    story.policies(NOON, WORK_ON_D1);
    story.open("d2", NOON.plusSeconds(90)).restart();

    openAhead("d1", HALF_A_MINUTE_LATER, TWO_SECONDS_LATER);

    assertThat(story.told()).endsWith("d1 opened open");
  }

  private void openAhead(String name, Instant time, Instant clock) {
    story.take(
        GateStory.alert(name, AlertState.ALERT_STATE_OPEN, "OPENED", time).build(),
        unixNanos(clock));
  }

  @Test
  void upstreamThatIsToldLaterSuppressesWhatHasPaged() {
    story.policies(NOON, ACCESS_BEHIND_CORES).open("acc1", NOON).open("core2", A_SECOND_LATER);

    story.open("core1", TWO_SECONDS_LATER);

    assertThat(story.told()).endsWith("core1 opened open", "acc1 suppressed suppressed");
  }

  @Test
  void firstUpstreamThatIsBackLetsWhatIsStillBrokenPage() {
    story.policies(NOON, ACCESS_BEHIND_CORES).open("core1", NOON).open("core2", NOON);
    story.open("acc1", NOON).open("acc2", NOON).close("acc2", A_SECOND_LATER);

    story.close("core2", TWO_SECONDS_LATER);

    assertThat(story.told())
        .endsWith("acc2 resolved resolved", "core2 resolved resolved", "acc1 unsuppressed open");
  }

  @Test
  void secondAlertOfAnUpstreamKeepsItDown() {
    story.policies(NOON, ACCESS_BEHIND_CORES);
    story.open("core1", NOON).open("core2/node", NOON).open("core2/bgp", NOON).open("acc1", NOON);

    story.close("core2/node", A_SECOND_LATER);

    assertThat(story.latest("acc1").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
    assertThat(story.latest("acc1").getCause()).isEqualTo("dependency:core1,core2/bgp");
    assertThat(story.close("core2/bgp", TWO_SECONDS_LATER).told())
        .endsWith("acc1 unsuppressed open");
  }

  @Test
  void chainIsExplainedByItsRoot() {
    story.policies(
        NOON,
        new Dependency("b", device("b"), List.of(device("a"))),
        new Dependency("c", device("c"), List.of(device("b"))));

    story.open("a", NOON).open("b", NOON).open("c", NOON);

    assertThat(story.told())
        .containsExactly("a opened open", "b opened suppressed", "c opened suppressed");
  }

  @Test
  void ofAlertsInACircleOnePages() {
    story.policies(
        NOON,
        new Dependency("a", device("a"), List.of(device("b"))),
        new Dependency("b", device("b"), List.of(device("a"))));

    story.open("a", NOON).open("b", NOON).refresh("a", A_SECOND_LATER);
    assertThat(story.told())
        .containsExactly("a opened open", "b opened suppressed", "a refreshed open");

    story.close("a", TWO_SECONDS_LATER);
    assertThat(story.told()).endsWith("a resolved resolved", "b unsuppressed open");
  }

  @Test
  void alertThatIsItsOwnUpstreamPages() {
    story.policies(NOON, new Dependency("all", device("*"), List.of(device("*"))));

    assertThat(story.open("a", NOON).told()).containsExactly("a opened open");
  }

  @Test
  void alertInMaintenanceIsSuppressedAndPagesWhenItOutlastsTheWork() {
    story.policies(NOON, WORK_ON_D1).open("d1", A_SECOND_LATER).open("d2", A_SECOND_LATER);
    assertThat(story.told()).containsExactly("d1 opened suppressed", "d2 opened open");
    assertThat(story.latest("d1").getCause()).isEqualTo("maintenance:work");

    story.until(A_MINUTE_LATER.minusMillis(1));
    assertThat(story.decisions()).hasSize(2);
    story.until(A_MINUTE_LATER);

    assertThat(story.toldAfter(2)).containsExactly("d1 unsuppressed open");
  }

  @Test
  void alertThatEndsWithTheWorkIsResolvedWithoutAPage() {
    story.policies(NOON, WORK_ON_D1).open("d1", A_SECOND_LATER).close("d1", TWO_SECONDS_LATER);

    story.until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("d1 opened suppressed", "d1 resolved resolved");
    assertThat(story.state().isEmpty()).isTrue();
  }

  @Test
  void alertThatIsOpenWhenTheWorkBeginsIsSuppressedUntilItEnds() {
    story.policies(NOON, window("work", "d1", HALF_A_MINUTE_LATER, A_MINUTE_LATER));
    story.open("d1", NOON).until(AN_HOUR_LATER);

    assertThat(story.told())
        .containsExactly("d1 opened open", "d1 suppressed suppressed", "d1 unsuppressed open");
  }

  @Test
  void lateOpeningOfAWindowThatIsOverPages() {
    story.policies(NOON, WORK_ON_D1).open("d2", AN_HOUR_LATER);

    story.open("d1", A_SECOND_LATER).until(AN_HOUR_LATER);

    assertThat(story.told()).endsWith("d1 opened open");
  }

  @Test
  void lateOpeningAfterARestartPagesAtLast() {
    story.policies(NOON, WORK_ON_D1).until(AN_HOUR_LATER).restart();

    story.open("d1", A_SECOND_LATER).until(AN_HOUR_LATER);

    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void windowThatIsWithdrawnSuppressesNothingMore() {
    story.policies(NOON, WORK_ON_D1).open("d1", A_SECOND_LATER);

    story.policies(TWO_SECONDS_LATER);

    assertThat(story.told()).containsExactly("d1 opened suppressed", "d1 unsuppressed open");
  }

  @Test
  void windowThatIsPushedWhileItLastsTakesHoldAtOnce() {
    story.open("d1", A_SECOND_LATER);

    story.policies(TWO_SECONDS_LATER, WORK_ON_D1);

    assertThat(story.told()).containsExactly("d1 opened open", "d1 suppressed suppressed");
  }

  @Test
  void secondReasonKeepsTheAlertSuppressedWithItsCause() {
    story.policies(
        NOON,
        window("first", "d1", NOON, HALF_A_MINUTE_LATER),
        window("second", "d1", NOON, A_MINUTE_LATER));
    story.open("d1", A_SECOND_LATER).until(HALF_A_MINUTE_LATER);

    assertThat(story.told()).containsExactly("d1 opened suppressed", "d1 suppressed suppressed");
    assertThat(story.latest("d1").getCause()).isEqualTo("maintenance:second");
    assertThat(story.until(A_MINUTE_LATER).told()).endsWith("d1 unsuppressed open");
  }

  @Test
  void workOfEveryNightSuppressesEachNightAndWhatIsStillBrokenPagesEachMorning() {
    story.policies(NOON, everyNight("d1")).open("d1", NOON).open("d2", NOON);

    // Two to four in the morning in Berlin.
    story.until(Instant.parse("2026-11-21T00:59:59Z"));
    assertThat(story.toldAfter(2)).isEmpty();
    story.until(Instant.parse("2026-11-21T02:59:59Z"));
    assertThat(story.toldAfter(2)).containsExactly("d1 suppressed suppressed");
    story.until(Instant.parse("2026-11-21T03:00:00Z"));
    assertThat(story.toldAfter(3)).containsExactly("d1 unsuppressed open");
    story.until(Instant.parse("2026-11-23T12:00:00Z"));
    assertThat(story.toldAfter(4))
        .containsExactly(
            "d1 suppressed suppressed",
            "d1 unsuppressed open",
            "d1 suppressed suppressed",
            "d1 unsuppressed open");
  }

  @Test
  void whatIsMendedInItsNightPagesNobodyAndWhatBreaksByDayDoes() {
    Instant night = Instant.parse("2026-11-22T01:30:00Z");
    story.policies(NOON, everyNight("d1")).until(night).open("d1", night);
    story.close("d1", night.plusSeconds(60)).until(night.plusSeconds(36_000));

    story.open("d1", night.plusSeconds(36_000));

    assertThat(story.told())
        .containsExactly("d1 opened suppressed", "d1 resolved resolved", "d1 opened open");
  }

  private static MaintenanceWindow everyNight(String device) {
    return new MaintenanceWindow(
        "nightly",
        device(device),
        Recurrence.of(
            LocalDateTime.parse("2026-11-20T02:00"),
            LocalDateTime.parse("2026-11-20T04:00"),
            ZoneId.of("Europe/Berlin"),
            "FREQ=DAILY"));
  }

  @Test
  void alertThatFlapsIsFlappingAgainWhenItsReasonEnds() {
    story.policies(NOON, WORK_ON_D1).flap("d1", A_SECOND_LATER).until(A_MINUTE_LATER);

    assertThat(story.told())
        .containsExactly("d1 flapping_started suppressed", "d1 unsuppressed flapping");
  }

  @Test
  void alertsThatAreExplainedOtherwiseMakeNoStorm() {
    story.policies(NOON, window("work", "d*", NOON, A_MINUTE_LATER));
    for (int i = 0; i < 100; i++) {
      story.open("d" + i, A_SECOND_LATER);
    }

    assertThat(story.told()).hasSize(100).allMatch(text -> text.endsWith("opened suppressed"));
  }

  @Test
  void windowMustEndAfterItsStartAndADependencyNeedsAnUpstream() {
    assertThatThrownBy(() -> window("w", "d", NOON, NOON)).hasMessageContaining("let it end later");
    assertThatThrownBy(() -> new Dependency("x", device("d"), List.of()))
        .hasMessageContaining("names no upstream");
  }

  private static MaintenanceWindow window(String name, String device, Instant from, Instant to) {
    return new MaintenanceWindow(name, device(device), unixNanos(from), unixNanos(to));
  }

  private static AlertMatcher device(String device) {
    return new AlertMatcher(Map.of("device", List.of(device)));
  }
}
