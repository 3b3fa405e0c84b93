package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.model.EnumWords;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What a silence will cover: when, and which of the alerts that are open now. */
final class LookAhead {
  private static final int MOST_TIMES = 10;
  private static final int MOST_ALERTS = 50;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("EEE yyyy-MM-dd HH:mm:ss XXX", Locale.ROOT);

  private LookAhead() {}

  /**
   * Prints it.
   *
   * @param open alerts that it covers
   */
  static void print(Silence silence, List<Alert> open, Instant now, PrintWriter out) {
    List<Occurrence> times = silence.nextOnes(now).limit(MOST_TIMES + 1L).toList();
    out.println(
        silence.name()
            + " covers "
            + silence.alerts()
            + ", "
            + silence.repeats()
            + ": "
            + silence.stateAt(now));
    times.stream().limit(MOST_TIMES).forEach(each -> out.println("  " + line(silence, each)));
    if (times.size() > MOST_TIMES) {
      out.println("  and so on");
    }
    out.println(open.isEmpty() ? "no open alert is covered" : open.size() + " open alerts:");
    open.stream()
        .sorted(Comparator.comparing(Alert::getSeverity).reversed().thenComparing(Alert::getDevice))
        .limit(MOST_ALERTS)
        .forEach(alert -> out.println("  " + line(alert)));
    if (open.size() > MOST_ALERTS) {
      out.println("  and " + (open.size() - MOST_ALERTS) + " more");
    }
  }

  private static String line(Silence silence, Occurrence occurrence) {
    return time(silence, occurrence.startsAtUnixNanos())
        + "  until  "
        + time(silence, occurrence.endsAtUnixNanos());
  }

  private static String time(Silence silence, long unixNanos) {
    return TIME.format(OffsetDateTime.ofInstant(Nanos.toInstant(unixNanos), silence.zone()));
  }

  /** What devices say is printed without what would move a terminal's cursor. */
  private static String line(Alert alert) {
    String text =
        String.join(
            "  ",
            EnumWords.wordOf(alert.getSeverity()),
            alert.getDevice(),
            alert.getCheck(),
            alert.getSummary());
    return Terminal.plain(text);
  }
}
