package io.tocsin.correlation.calendar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecurrenceTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  @ParameterizedTest
  @CsvSource({
    // Winter, then summer: two in the morning by the clocks of the place.
    "FREQ=WEEKLY,               2026-03-14T00:00:00Z, 2026-03-15T01:00:00Z 2026-03-15T03:00:00Z",
    "FREQ=WEEKLY,               2026-04-04T00:00:00Z, 2026-04-05T00:00:00Z 2026-04-05T02:00:00Z",
    // Years later, and in the middle of one.
    "FREQ=WEEKLY,               2041-07-07T01:00:00Z, 2041-07-07T00:00:00Z 2041-07-07T02:00:00Z",
    "FREQ=MONTHLY;BYDAY=1SU,    2026-03-02T00:00:00Z, 2026-04-05T00:00:00Z 2026-04-05T02:00:00Z",
    "FREQ=YEARLY,               2026-03-02T00:00:00Z, 2027-03-01T01:00:00Z 2027-03-01T03:00:00Z",
    "FREQ=DAILY;INTERVAL=1000,  2026-03-02T00:00:00Z, 2028-11-25T01:00:00Z 2028-11-25T03:00:00Z",
    // A day without a time is meant whole; UTC is a time of the place like any other.
    "FREQ=DAILY;UNTIL=20260302,         2026-03-01T12:00:00Z, 2026-03-02T01:00:00Z 2026-03-02T03:00:00Z",
    "FREQ=DAILY;UNTIL=20260302,         2026-03-02T12:00:00Z, over",
    "FREQ=DAILY;UNTIL=20260302T010000Z, 2026-03-01T12:00:00Z, 2026-03-02T01:00:00Z 2026-03-02T03:00:00Z",
    "FREQ=DAILY;UNTIL=20260302T005959Z, 2026-03-01T12:00:00Z, over",
    "FREQ=DAILY;UNTIL=20260302T015959,  2026-03-01T12:00:00Z, over",
    "FREQ=DAILY;COUNT=2,                2026-03-01T12:00:00Z, 2026-03-02T01:00:00Z 2026-03-02T03:00:00Z",
    "FREQ=DAILY;COUNT=2,                2026-03-02T03:00:00Z, over",
    // Before the first, and at the end of time.
    "FREQ=DAILY,                1970-01-01T00:00:00Z, 2026-03-01T01:00:00Z 2026-03-01T03:00:00Z",
    "FREQ=DAILY,                2262-04-11T00:00:00Z, over",
  })
  void nextIsToldByTheClocksOfThePlace(String rule, Instant asked, String expected) {
    Recurrence recurrence = from("2026-03-01T02:00", "2026-03-01T04:00", rule);

    assertThat(words(recurrence.firstEndingAfter(Nanos.of(asked)))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    // On 29 March 2026 the clocks go from 02:00 to 03:00.
    "2026-03-28, 22:00, 06:00, 2026-03-28T21:00:00Z 2026-03-29T04:00:00Z",
    "2026-03-28, 02:30, 02:45, 2026-03-28T01:30:00Z 2026-03-28T01:45:00Z",
    "2026-03-29, 02:30, 02:45, 2026-03-29T01:30:00Z 2026-03-29T01:45:00Z",
    "2026-03-29, 02:30, 03:10, 2026-03-29T01:30:00Z 2026-03-29T02:10:00Z",
    "2026-03-29, 01:30, 03:30, 2026-03-29T00:30:00Z 2026-03-29T01:30:00Z",
    // On 25 October 2026 they show 02:00 to 03:00 twice.
    "2026-10-24, 22:00, 06:00, 2026-10-24T20:00:00Z 2026-10-25T05:00:00Z",
    "2026-10-25, 02:15, 02:45, 2026-10-25T00:15:00Z 2026-10-25T00:45:00Z",
    "2026-10-25, 01:30, 03:30, 2026-10-24T23:30:00Z 2026-10-25T02:30:00Z",
  })
  void nightInWhichTheClocksAreChanged(String day, String starts, String ends, String expected) {
    String nextDay = LocalDateTime.parse(day + "T00:00").plusDays(1).toLocalDate().toString();
    Recurrence recurrence =
        from(
            "2026-01-01T" + starts,
            (starts.compareTo(ends) < 0 ? "2026-01-01T" : "2026-01-02T") + ends,
            "FREQ=DAILY");

    assertThat(of(recurrence, day + "T00:00", nextDay + "T00:00")).containsExactly(expected);
  }

  @Test
  void edgesFollowOneAnother() {
    Recurrence recurrence = from("2026-03-27T02:00", "2026-03-27T04:00", "FREQ=DAILY;COUNT=3");
    List<String> edges = new ArrayList<>();
    long edge = recurrence.nextEdgeAfter(Long.MIN_VALUE);
    while (edge != Step.NO_TIMER) {
      edges.add(Nanos.toInstant(edge) + (recurrence.isOnAt(edge) ? " on" : " off"));
      edge = recurrence.nextEdgeAfter(edge);
    }

    assertThat(edges)
        .containsExactly(
            "2026-03-27T01:00:00Z on",
            "2026-03-27T03:00:00Z off",
            "2026-03-28T01:00:00Z on",
            "2026-03-28T03:00:00Z off",
            "2026-03-29T01:00:00Z on",
            "2026-03-29T02:00:00Z off");
    assertThat(recurrence.nextEdgeAfter(Long.MAX_VALUE)).isEqualTo(Step.NO_TIMER);
  }

  @Test
  void answerDoesNotDependOnWhatWasAskedBefore() {
    Instant first = Instant.parse("2026-03-01T01:30:00Z");
    Recurrence asked = from("2026-03-01T02:00", "2026-03-01T04:00", "FREQ=DAILY;COUNT=20");
    for (int i = 0; i < 500; i++) {
      // To and fro, as alerts of agents whose clocks differ come.
      long time = Nanos.of(first.plusSeconds(i * 3_700L * (i % 2 == 0 ? 1 : -1)));
      Recurrence fresh = from("2026-03-01T02:00", "2026-03-01T04:00", "FREQ=DAILY;COUNT=20");

      assertThat(asked.firstEndingAfter(time)).isEqualTo(fresh.firstEndingAfter(time));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FREQ=YEARLY", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29"})
  void dayThatComesEveryFourYearsIsFound(String rule) {
    Recurrence recurrence = from("2028-02-29T02:00", "2028-02-29T04:00", rule);

    assertThat(of(recurrence, "2029-01-01T00:00", "2037-01-01T00:00"))
        .containsExactly(
            "2032-02-29T01:00:00Z 2032-02-29T03:00:00Z",
            "2036-02-29T01:00:00Z 2036-02-29T03:00:00Z");
  }

  @Test
  void longOnesThatOverlapAreOnTogether() {
    Recurrence recurrence = from("2026-03-01T02:00", "2026-03-04T02:00", "FREQ=DAILY;COUNT=2");

    assertThat(of(recurrence, "2026-03-01T00:00", "2026-03-06T00:00"))
        .containsExactly(
            "2026-03-01T01:00:00Z 2026-03-04T01:00:00Z",
            "2026-03-02T01:00:00Z 2026-03-05T01:00:00Z");
  }

  /** Each is asked about a day in two centuries: none is written out until then. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "FREQ=DAILY",
        "FREQ=DAILY;COUNT=1000",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
        "FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
        "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;BYDAY=SU",
        "FREQ=YEARLY;INTERVAL=1000"
      })
  void neverEndingOneCostsALookAtItsDays(String rule) {
    Recurrence recurrence = from("2026-03-01T02:00", "2026-03-01T04:00", rule);
    long centuries = Nanos.of(Instant.parse("2240-01-01T00:00:00Z"));

    for (int i = 0; i < 200; i++) {
      recurrence.firstEndingAfter(centuries + i * 86_400L * Nanos.PER_SECOND);
    }
    assertThat(recurrence.isOnAt(Nanos.of(Instant.parse("2026-03-01T02:00:00Z")))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "SUNDAYS,                          no RRULE of RFC 5545",
    "FREQ=SECONDLY,                    'FREQ is DAILY, WEEKLY, MONTHLY or YEARLY'",
    "FREQ=MINUTELY;INTERVAL=30,        'FREQ is DAILY, WEEKLY, MONTHLY or YEARLY'",
    "FREQ=DAILY;BYMINUTE=1;BYSECOND=1, time of day is that of the start",
    "FREQ=WEEKLY;BYDAY=MO,             the first is not at its start: it would be at 2026-03-02T02:00",
    "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30, there are none",
    "FREQ=DAILY;UNTIL=20200101,        the first is not at its start",
    "FREQ=DAILY;COUNT=1001,            COUNT is 1000 at most",
    "FREQ=DAILY;INTERVAL=1001,         INTERVAL is 1000 at most",
    "RSCALE=CHINESE;FREQ=YEARLY,       ''",
  })
  void whatCouldCostMuchOrIsAMistakeIsRefused(String rule, String reason) {
    assertThatThrownBy(() -> from("2026-03-01T02:00", "2026-03-01T04:00", rule))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void whatIsLongIsRefused() {
    assertThatThrownBy(() -> from("2026-03-01T02:00", "2026-04-02T02:00", "FREQ=YEARLY"))
        .hasMessageContaining("31 days at most");
    assertThatThrownBy(
            () ->
                from(
                    "2026-03-01T02:00",
                    "2026-03-01T03:00",
                    "FREQ=YEARLY;BYYEARDAY=" + "1,".repeat(500) + "60"))
        .hasMessageContaining("more than 200 characters");
  }

  private static Recurrence from(String starts, String ends, String rule) {
    return Recurrence.of(LocalDateTime.parse(starts), LocalDateTime.parse(ends), BERLIN, rule);
  }

  /** Those that start in a time of the place. */
  private static List<String> of(Recurrence recurrence, String from, String until) {
    List<String> all = new ArrayList<>();
    long start = Nanos.of(LocalDateTime.parse(from).atZone(BERLIN).toInstant());
    long end = Nanos.of(LocalDateTime.parse(until).atZone(BERLIN).toInstant());
    Optional<Occurrence> next = recurrence.firstEndingAfter(start);
    while (next.isPresent() && next.get().startsAtUnixNanos() < end) {
      if (next.get().startsAtUnixNanos() >= start) {
        all.add(words(next));
      }
      next = recurrence.firstEndingAfter(next.get().endsAtUnixNanos());
    }
    return all;
  }

  private static String words(Optional<Occurrence> occurrence) {
    return occurrence
        .map(
            each ->
                Nanos.toInstant(each.startsAtUnixNanos())
                    + " "
                    + Nanos.toInstant(each.endsAtUnixNanos()))
        .orElse("over");
  }
}
