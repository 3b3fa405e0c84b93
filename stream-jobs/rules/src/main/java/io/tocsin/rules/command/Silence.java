package io.tocsin.rules.command;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.AlertMatcher;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.Document;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.PolicyDocument;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/**
 * A maintenance window that somebody asks for on the command line.
 *
 * @param name of its document
 * @param alerts which are meant, as people read it
 * @param starts first moment
 * @param ends first moment after it
 * @param why in the words of who asked for it
 * @param origin who asked for it, or the file that it stands in
 */
record Silence(
    String name, String alerts, Instant starts, Instant ends, String why, String origin) {
  /**
   * The document of a silence.
   *
   * @param alerts field to its values, as in deploy/rules/README.md
   * @throws IllegalArgumentException where no alert is meant that way, or its end is not after its
   *     beginning
   */
  static String yaml(
      String name, Map<String, List<String>> alerts, Instant starts, Instant ends, String why) {
    new MaintenanceWindow(name, new AlertMatcher(alerts), Nanos.of(starts), Nanos.of(ends));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("kind", DocumentLoader.MAINTENANCE);
    document.put("name", name);
    document.put("description", why);
    document.put("alerts", alerts);
    document.put("starts", starts.toString());
    document.put("ends", ends.toString());
    DumpSettings block = DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();
    return new Dump(block).dumpToString(document);
  }

  /** The silence that a document of the topic is; nothing for rules and for what is refused. */
  static Optional<Silence> of(RuleDocument record) {
    Document document;
    try {
      document = RuleBook.read(record);
    } catch (DocumentException e) {
      // A window that no job understands silences nothing; `list` shows it as refused.
      return Optional.empty();
    }
    if (document instanceof PolicyDocument policy
        && policy.policy() instanceof MaintenanceWindow window) {
      return Optional.of(
          new Silence(
              window.name(),
              window.alerts().toString(),
              Nanos.toInstant(window.startsAtUnixNanos()),
              Nanos.toInstant(window.endsAtUnixNanos()),
              policy.description(),
              record.getOrigin()));
    }
    return Optional.empty();
  }

  boolean isOverAt(Instant now) {
    return !now.isBefore(ends);
  }

  /** "on, 1 h 5 min left", "in 20 min", "over". */
  String stateAt(Instant now) {
    if (isOverAt(now)) {
      return "over";
    }
    return now.isBefore(starts)
        ? "in " + words(Duration.between(now, starts))
        : "on, " + words(Duration.between(now, ends)) + " left";
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
