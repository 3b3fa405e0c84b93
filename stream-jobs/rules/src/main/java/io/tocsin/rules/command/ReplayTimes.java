package io.tocsin.rules.command;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Which part of the past is played. */
final class ReplayTimes {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      defaultValue = "1d",
      description =
          "pages that begin from then on are compared: 2026-11-20T12:00:00Z, or 7d for seven days ago (default: ${DEFAULT-VALUE})")
  private String from;

  @Option(names = "--to", paramLabel = "TIME", description = "until then, likewise (default: now)")
  private String to;

  @Option(
      names = "--warm-up",
      paramLabel = "LENGTH",
      defaultValue = "24h",
      converter = SilenceTimes.Length.class,
      description =
          "so much before --from is played without being compared, so that what was open then is known"
              + " (default: ${DEFAULT-VALUE})")
  private Duration warmUp;

  Instant from(Instant now) {
    return instantOf("--from", from, now);
  }

  Instant to(Instant now) {
    return to == null ? now : instantOf("--to", to, now);
  }

  Duration warmUp() {
    return warmUp;
  }

  private static Instant instantOf(String option, String text, Instant now) {
    try {
      return now.minus(new SilenceTimes.Length().convert(text));
    } catch (RuntimeException e) {
      // No length: a time.
    }
    try {
      return OffsetDateTime.parse(
              text.strip().replace(' ', 'T').toUpperCase(Locale.ROOT),
              DateTimeFormatter.ISO_OFFSET_DATE_TIME)
          .toInstant();
    } catch (DateTimeException e) {
      throw CommandException.usage(
          option + " is '" + text + "', which is no time",
          "give for example 2026-11-20T12:00:00Z, or 24h for a day ago");
    }
  }
}
