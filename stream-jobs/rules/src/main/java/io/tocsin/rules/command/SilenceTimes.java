package io.tocsin.rules.command;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** From when to when, as people say it. */
final class SilenceTimes {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "'2026-11-24 22:00', or with an offset 2026-11-24T22:00+01:00 (default: now)")
  private String from;

  @Option(names = "--until", paramLabel = "TIME", description = "like --from; or --for")
  private String until;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      converter = Length.class,
      description = "how long: 30m, 2h, 1h30m, 1d; or --until")
  private Duration length;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description =
          "time zone of times without an offset, like Europe/Berlin (default: this machine's)")
  private ZoneId zone = ZoneId.systemDefault();

  @Option(
      names = "--repeats",
      paramLabel = "RRULE",
      description = {
        "again and again, by the clocks of --zone: a rule of RFC 5545 like FREQ=WEEKLY;BYDAY=SU,",
        "FREQ=MONTHLY;BYDAY=2TU, FREQ=DAILY;UNTIL=20261231"
      })
  private String repeats;

  /**
   * The keys of a maintenance window about its times.
   *
   * @throws CommandException where it is not said how long
   */
  Map<String, String> keys(Instant now) {
    Instant starts = starts(now);
    Instant ends = ends(starts);
    Map<String, String> keys = new LinkedHashMap<>();
    if (repeats == null) {
      keys.put("starts", starts.toString());
      keys.put("ends", ends.toString());
    } else {
      keys.put("zone", zone.getId());
      keys.put("starts", LocalDateTime.ofInstant(starts, zone).toString());
      keys.put("ends", LocalDateTime.ofInstant(ends, zone).toString());
      keys.put("repeats", repeats);
    }
    return keys;
  }

  Instant starts(Instant now) {
    return from == null ? now : instantOf("--from", from);
  }

  Instant ends(Instant starts) {
    if ((length == null) == (until == null)) {
      throw CommandException.usage(
          "it is not said how long", "give --for 2h, or --until '2026-11-24 23:00', and not both");
    }
    return length != null ? starts.plus(length) : instantOf("--until", until);
  }

  private Instant instantOf(String option, String text) {
    String iso = text.strip().replace(' ', 'T').toUpperCase(Locale.ROOT);
    try {
      TemporalAccessor time =
          DateTimeFormatter.ISO_DATE_TIME.parseBest(iso, OffsetDateTime::from, LocalDateTime::from);
      return time instanceof OffsetDateTime exact
          ? exact.toInstant()
          : ((LocalDateTime) time).atZone(zone).toInstant();
    } catch (DateTimeException e) {
      throw CommandException.usage(
          option + " is '" + text + "', which is no time",
          "give for example '2026-11-24 22:00', or 2026-11-24T22:00+01:00");
    }
  }

  /** {@code 2h}, {@code 1h30m}, {@code 90s}, {@code 1d}. */
  static final class Length implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      String upper = text.toUpperCase(Locale.ROOT);
      int days = upper.indexOf('D') + 1;
      String iso =
          "P"
              + upper.substring(0, days)
              + (days < upper.length() ? "T" : "")
              + upper.substring(days);
      try {
        Duration length = Duration.parse(iso);
        if (!length.isNegative() && !length.isZero()) {
          return length;
        }
      } catch (DateTimeException e) {
        // Said below.
      }
      throw new TypeConversionException(
          "'" + text + "' is no length: give for example 30m, 2h, 1h30m, 1d");
    }
  }
}
