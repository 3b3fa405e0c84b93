package io.tocsin.correlation.calendar;

import io.tocsin.correlation.Nanos;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.dmfs.rfc5545.DateTime;
import org.dmfs.rfc5545.recur.Freq;
import org.dmfs.rfc5545.recur.InvalidRecurrenceRuleException;
import org.dmfs.rfc5545.recur.RecurrenceRule;
import org.dmfs.rfc5545.recur.RecurrenceRule.Part;
import org.dmfs.rfc5545.recur.RecurrenceRule.RfcMode;
import org.dmfs.rfc5545.recur.RecurrenceRuleIterator;

/**
 * What goes on again and again, by a recurrence rule of RFC 5545 in the time of a place: at 2 in
 * the morning by its clocks, summer and winter.
 *
 * <p>Nothing is written out beforehand. A question costs a look at the days around it, however long
 * ago the first was and whether there is a last; what a rule may say is bounded so that this holds.
 */
public final class Recurrence implements Occurrences {
  /** So long may one be. */
  public static final Duration MOST_LENGTH = Duration.ofDays(31);

  /** Enough for every rule that a person reads. */
  private static final int MOST_CHARACTERS = 200;

  private static final int MOST_COUNT = 1_000;
  private static final int MOST_INTERVAL = 1_000;

  /** How many days are looked at before a rule is taken. */
  private static final int TRIED_DAYS = 50;

  /** What the library says where a thousand days in a row are none. */
  private static final String GIVEN_UP = "too many filtered";

  /** After the last moment that a long of nanoseconds holds there is nothing. */
  private static final LocalDateTime LAST = LocalDateTime.of(2260, 1, 1, 0, 0);

  /** More than clocks are ever put forward or back. */
  private static final Duration CLOCK_CHANGE = Duration.ofDays(1);

  private static final Set<Freq> FREQUENCIES =
      EnumSet.of(Freq.DAILY, Freq.WEEKLY, Freq.MONTHLY, Freq.YEARLY);

  private final String text;
  private final RecurrenceRule rule;
  private final LocalDateTime firstStart;
  private final Duration length;
  private final ZoneId zone;

  /** The last answer, and since when it holds: most questions are about the same night. */
  private Answer last = new Answer(Long.MAX_VALUE, Optional.empty());

  private record Answer(long fromUnixNanos, Optional<Occurrence> occurrence) {
    boolean isFor(long unixNanos) {
      return fromUnixNanos <= unixNanos
          && occurrence.map(each -> unixNanos < each.endsAtUnixNanos()).orElse(true);
    }
  }

  private Recurrence(
      String text, RecurrenceRule rule, LocalDateTime firstStart, Duration length, ZoneId zone) {
    this.text = text;
    this.rule = rule;
    this.firstStart = firstStart;
    this.length = length;
    this.zone = zone;
  }

  /**
   * A recurrence.
   *
   * @param starts of the first one, by the clocks of the place
   * @param ends of the first one
   * @param zone the place
   * @param text the rule, without {@code RRULE:}; {@code UNTIL} may be a time of the place or UTC
   * @throws IllegalArgumentException where it is no rule, or says more than is taken
   */
  public static Recurrence of(LocalDateTime starts, LocalDateTime ends, ZoneId zone, String text) {
    Duration length = Duration.between(starts, ends);
    if (length.compareTo(MOST_LENGTH) > 0) {
      throw new IllegalArgumentException(
          "what comes again lasts " + MOST_LENGTH.toDays() + " days at most: let it end earlier");
    }
    RecurrenceRule rule = bounded(parsed(text));
    if (rule.getUntil() != null) {
      rule.setUntil(local(rule.getUntil(), zone));
    }
    Recurrence recurrence = new Recurrence(text, rule, starts, length, zone);
    Occurrence first = Occurrence.of(starts, ends, zone);
    recurrence.requireDays(starts);
    recurrence.last = new Answer(Long.MIN_VALUE, Optional.of(first));
    return recurrence;
  }

  private static RecurrenceRule parsed(String text) {
    if (text.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException(
          "it has more than " + MOST_CHARACTERS + " characters: say it shorter");
    }
    try {
      return new RecurrenceRule(text, RfcMode.RFC5545_STRICT);
    } catch (InvalidRecurrenceRuleException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "it is no RRULE of RFC 5545 ("
              + e.getMessage()
              + "): give for example FREQ=WEEKLY;BYDAY=SU",
          e);
    }
  }

  private static RecurrenceRule bounded(RecurrenceRule rule) {
    if (!FREQUENCIES.contains(rule.getFreq())) {
      throw new IllegalArgumentException("FREQ is DAILY, WEEKLY, MONTHLY or YEARLY");
    }
    // Part cannot be loaded before RecurrenceRule: it is not named outside of here.
    for (Part part : List.of(Part.BYHOUR, Part.BYMINUTE, Part.BYSECOND, Part.RSCALE, Part.SKIP)) {
      if (rule.hasPart(part)) {
        throw new IllegalArgumentException(
            part + " is not taken: the time of day is that of the start");
      }
    }
    if (rule.getInterval() > MOST_INTERVAL) {
      throw new IllegalArgumentException("INTERVAL is " + MOST_INTERVAL + " at most");
    }
    if (rule.getCount() != null && rule.getCount() > MOST_COUNT) {
      throw new IllegalArgumentException("COUNT is " + MOST_COUNT + " at most: leave it away");
    }
    return rule;
  }

  /** A day without a time is meant whole. */
  private static DateTime local(DateTime until, ZoneId zone) {
    if (until.isAllDay()) {
      return new DateTime(until.getYear(), until.getMonth(), until.getDayOfMonth(), 23, 59, 59);
    }
    return until.isFloating()
        ? until
        : dateTime(LocalDateTime.ofInstant(Instant.ofEpochMilli(until.getTimestamp()), zone));
  }

  /**
   * A rule that names other days than its start has, or none, is a mistake; one whose days are so
   * far apart that the library gives up between them would end without a word.
   */
  private void requireDays(LocalDateTime starts) {
    try {
      RecurrenceRuleIterator days = rule.iterator(dateTime(starts));
      LocalDateTime first = days.hasNext() ? local(days.nextDateTime()) : null;
      if (!Objects.equals(first, starts.withNano(0))) {
        throw new IllegalArgumentException(
            "the first is not at its start" + (first == null ? "" : ": it would be at " + first));
      }
      for (int i = 0; i < TRIED_DAYS && days.hasNext(); i++) {
        if (local(days.nextDateTime()).isAfter(LAST)) {
          return;
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage().contains(GIVEN_UP)
              ? "its days are too rare, or there are none: name them with a larger FREQ"
              : e.getMessage(),
          e);
    }
  }

  /** The rule, as it was written. */
  public String rule() {
    return text;
  }

  /** The place whose clocks count. */
  public ZoneId zone() {
    return zone;
  }

  @Override
  public Optional<Occurrence> firstEndingAfter(long unixNanos) {
    Answer answer = last;
    if (!answer.isFor(unixNanos)) {
      answer = new Answer(unixNanos, found(unixNanos));
      last = answer;
    }
    return answer.occurrence;
  }

  private Optional<Occurrence> found(long unixNanos) {
    LocalDateTime asked = LocalDateTime.ofInstant(Nanos.toInstant(unixNanos), zone);
    LocalDateTime from = asked.minus(length).minus(CLOCK_CHANGE);
    if (from.isAfter(LAST)) {
      return Optional.empty();
    }
    try {
      RecurrenceRuleIterator starts = rule.iterator(dateTime(firstStart));
      if (from.isAfter(firstStart)) {
        starts.fastForward(dateTime(from));
      }
      return firstEndingAfter(unixNanos, starts);
    } catch (IllegalArgumentException e) {
      // The library has given up: the next is more than a thousand days of the rule away.
      return Optional.empty();
    }
  }

  private Optional<Occurrence> firstEndingAfter(long unixNanos, RecurrenceRuleIterator starts) {
    while (starts.hasNext()) {
      LocalDateTime start = local(starts.nextDateTime()).withNano(firstStart.getNano());
      if (start.isAfter(LAST)) {
        break;
      }
      Occurrence occurrence = Occurrence.of(start, start.plus(length), zone);
      if (occurrence.endsAtUnixNanos() > unixNanos) {
        return Optional.of(occurrence);
      }
    }
    return Optional.empty();
  }

  private static DateTime dateTime(LocalDateTime time) {
    return new DateTime(
        time.getYear(),
        time.getMonthValue() - 1,
        time.getDayOfMonth(),
        time.getHour(),
        time.getMinute(),
        time.getSecond());
  }

  private static LocalDateTime local(DateTime time) {
    return LocalDateTime.of(
        time.getYear(),
        time.getMonth() + 1,
        time.getDayOfMonth(),
        time.getHours(),
        time.getMinutes(),
        time.getSeconds());
  }
}
