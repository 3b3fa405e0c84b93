package io.tocsin.rules.document;

import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.correlation.calendar.Occurrences;
import io.tocsin.correlation.calendar.Recurrence;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Reads when planned work goes on: {@code starts}, {@code ends}, {@code zone}, {@code repeats}. */
final class OccurrencesLoader {
  private static final String ZONE = "zone";
  private static final String REPEATS = "repeats";

  private OccurrencesLoader() {}

  static Occurrences load(Fields fields) {
    ZoneId zone = zone(fields);
    LocalDateTime starts = time(fields, "starts", zone);
    LocalDateTime ends = time(fields, "ends", zone);
    if (!ends.isAfter(starts)) {
      throw fields.refusal("ends", "'ends' is not after 'starts'");
    }
    String rule = fields.text(REPEATS).orElse(null);
    try {
      return rule == null
          ? Occurrence.of(starts, ends, zone)
          : Recurrence.of(starts, ends, zone, rule);
    } catch (ArithmeticException e) {
      throw fields.refusal("starts", "'starts' and 'ends' must lie between 1678 and 2261");
    } catch (IllegalArgumentException e) {
      throw fields.refusal(REPEATS, "'repeats' is '" + rule + "': " + e.getMessage());
    }
  }

  private static ZoneId zone(Fields fields) {
    String name = fields.text(ZONE).orElse("Z");
    try {
      return ZoneId.of(name);
    } catch (DateTimeException e) {
      throw fields.refusal(
          ZONE, "'zone' is '" + name + "': give a time zone, for example Europe/Berlin");
    }
  }

  /** By the clocks of the zone that is named, otherwise UTC. */
  private static LocalDateTime time(Fields fields, String key, ZoneId zone) {
    String text = fields.required(key);
    boolean isLocal = fields.has(ZONE);
    try {
      return isLocal
          ? LocalDateTime.parse(text.replace(' ', 'T'))
          : LocalDateTime.ofInstant(Instant.parse(text), ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw fields.refusal(
          key,
          "'"
              + key
              + "' is '"
              + text
              + (isLocal
                  ? "': give a time in zone " + zone + ", for example 2026-11-20T22:00"
                  : "': give a time in UTC, for example 2026-11-20T22:00:00Z, or a 'zone'"));
    }
  }
}
