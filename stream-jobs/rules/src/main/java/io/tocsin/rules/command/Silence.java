package io.tocsin.rules.command;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.correlation.calendar.Recurrence;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.Document;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.PolicyDocument;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/**
 * A maintenance window, as somebody asked for it on the command line or wrote it into a file.
 *
 * @param window what it covers, and when
 * @param why in the words of who asked for it
 * @param origin who asked for it, or the file that it stands in
 */
record Silence(MaintenanceWindow window, String why, String origin) {
  /**
   * The document of a silence.
   *
   * @param alerts field to its values, as in deploy/rules/README.md
   * @param times its keys about time
   */
  static String yaml(
      String name, Map<String, List<String>> alerts, Map<String, String> times, String why) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("kind", DocumentLoader.MAINTENANCE);
    document.put("name", name);
    document.put("description", why);
    document.put("alerts", alerts);
    document.putAll(times);
    DumpSettings block = DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();
    return new Dump(block).dumpToString(document);
  }

  /** The silence that a document of the topic is; nothing for rules and for what is refused. */
  static Optional<Silence> of(RuleDocument record) {
    try {
      return Optional.of(RuleBook.read(record)).flatMap(each -> of(each, record.getOrigin()));
    } catch (DocumentException e) {
      // A window that no job understands silences nothing; `list` shows it as refused.
      return Optional.empty();
    }
  }

  /** The silence that a document is; nothing for rules and dependencies. */
  static Optional<Silence> of(Document document, String origin) {
    return document instanceof PolicyDocument policy
            && policy.policy() instanceof MaintenanceWindow window
        ? Optional.of(new Silence(window, policy.description(), origin))
        : Optional.empty();
  }

  String name() {
    return window.name();
  }

  /** Which alerts it covers, as people read it. */
  String alerts() {
    return window.alerts().toString();
  }

  /** The rule by which it comes again, or "once". */
  String repeats() {
    return window.occurrences() instanceof Recurrence recurrence ? recurrence.rule() : "once";
  }

  /** Where its times are those of the clocks. */
  ZoneId zone() {
    return window.occurrences() instanceof Recurrence recurrence
        ? recurrence.zone()
        : ZoneOffset.UTC;
  }

  /** When it is on, or will be next; nothing where it is over for good. */
  Optional<Occurrence> next(Instant now) {
    return window.occurrences().firstEndingAfter(Nanos.of(now));
  }

  /** The next times that it is on, soonest first, one that is on now among them. */
  Stream<Occurrence> nextOnes(Instant now) {
    return Stream.iterate(
            next(now),
            Optional::isPresent,
            each -> window.occurrences().firstEndingAfter(each.orElseThrow().endsAtUnixNanos()))
        .map(Optional::orElseThrow);
  }

  /** When it is on or will be next; of one that is over, the first. */
  Occurrence shown(Instant now) {
    return next(now).or(() -> window.occurrences().firstEndingAfter(Long.MIN_VALUE)).orElseThrow();
  }

  boolean isOverAt(Instant now) {
    return next(now).isEmpty();
  }

  /** "on, 1 h 5 min left", "in 20 min", "over". */
  String stateAt(Instant now) {
    return next(now)
        .map(
            next -> {
              Instant starts = Nanos.toInstant(next.startsAtUnixNanos());
              return now.isBefore(starts)
                  ? "in " + words(Duration.between(now, starts))
                  : "on, "
                      + words(Duration.between(now, Nanos.toInstant(next.endsAtUnixNanos())))
                      + " left";
            })
        .orElse("over");
  }

  /** Its two largest units, rounded up to whole minutes. */
  private static String words(Duration duration) {
    Duration whole = Duration.ofMinutes(duration.plusMinutes(1).minusNanos(1).toMinutes());
    if (whole.toDays() > 0) {
      return whole.toDays() + " d " + whole.toHoursPart() + " h";
    }
    return whole.toHours() > 0
        ? whole.toHours() + " h " + whole.toMinutesPart() + " min"
        : whole.toMinutes() + " min";
  }
}
