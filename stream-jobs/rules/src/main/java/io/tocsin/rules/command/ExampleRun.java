package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EnumWords;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.Example;
import io.tocsin.rules.document.Example.Expected;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.match.Player;
import io.tocsin.rules.match.RuleSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Plays the examples of rules. Each rule stands alone and as its file has it, so that its examples
 * say what it does and not what others do beside it, or what a site has changed.
 */
final class ExampleRun {
  private static final long FIRST_POLL_UNIX_NANOS = 1_795_176_000_000_000_000L;
  private static final long POLL_INTERVAL_NANOS = 60_000_000_000L;

  private final List<DocumentException> problems = new ArrayList<>();
  private int played;

  private ExampleRun() {}

  /** Plays all examples of some files. */
  static ExampleRun of(RuleFiles files, SyslogParser parser) {
    List<String> messages =
        examples(files).stream().map(Example::syslog).filter(syslog -> !syslog.isEmpty()).toList();
    Iterator<List<Event>> parsed = parser.parse(messages).iterator();
    ExampleRun run = new ExampleRun();
    for (RuleFiles.Loaded loaded : files.documents().values()) {
      if (loaded.written() instanceof Rule rule) {
        run.play(loaded.text().file(), rule, parsed);
      }
    }
    return run;
  }

  private static List<Example> examples(RuleFiles files) {
    return files.documents().values().stream()
        .map(RuleFiles.Loaded::written)
        .filter(Rule.class::isInstance)
        .flatMap(document -> ((Rule) document).examples().stream())
        .toList();
  }

  /** Examples that came out otherwise, with their lines. */
  List<DocumentException> problems() {
    return problems;
  }

  /** How many were played. */
  int played() {
    return played;
  }

  private void play(String file, Rule rule, Iterator<List<Event>> parsed) {
    RuleSet rules = RuleSet.of(List.of(rule));
    Player player = new Player();
    long pollUnixNanos = FIRST_POLL_UNIX_NANOS;
    for (Example example : rule.examples()) {
      pollUnixNanos += POLL_INTERVAL_NANOS;
      played++;
      try {
        List<Event> events =
            example.syslog().isEmpty()
                ? List.of(EventJson.parse(example.eventJson(), file + ":" + example.line()))
                : parsed.next();
        List<Signal> signals = new ArrayList<>();
        for (Event event : events) {
          Event.Builder timed = event.toBuilder();
          timed.setReceivedAtUnixNanos(pollUnixNanos).setEventTimeUnixNanos(pollUnixNanos);
          signals.addAll(player.play(rules, timed.build()));
        }
        compare(file, rule, example, signals);
      } catch (CommandException e) {
        problems.add(new DocumentException(file, example.line(), e.getMessage()));
      }
    }
  }

  private void compare(String file, Rule rule, Example example, List<Signal> signals) {
    String expected = describe(example.expected());
    // A line of a DHCP server is two events, and both may say the same.
    String found =
        signals.isEmpty()
            ? "no signal"
            : signals.stream()
                .map(signal -> describe(rule, signal, example.expected()))
                .distinct()
                .collect(Collectors.joining(" and "));
    if (!expected.equals(found)) {
      problems.add(
          new DocumentException(
              file,
              example.line(),
              "example of '" + rule.name() + "': expected " + expected + ", found " + found));
    }
  }

  private static String describe(Expected expected) {
    return expected == null
        ? "no signal"
        : describe(
            expected.kind(), expected.fingerprint(), expected.severity(), expected.summary());
  }

  /** Says of a signal what the expectation speaks of. */
  private static String describe(Rule rule, Signal signal, Expected expected) {
    Map<String, String> fingerprint = new TreeMap<>(signal.getFingerprintFieldsMap());
    fingerprint.keySet().retainAll(rule.fingerprint());
    boolean hasSeverity = expected != null && !expected.severity().isEmpty();
    boolean hasSummary = expected != null && !expected.summary().isEmpty();
    return describe(
        signal.getKind() == Signal.Kind.KIND_RAISE ? "raise" : "clear",
        fingerprint,
        hasSeverity ? EnumWords.wordOf(signal.getSeverity()) : "",
        hasSummary ? signal.getSummary() : "");
  }

  private static String describe(
      String kind, Map<String, String> fingerprint, String severity, String summary) {
    return kind
        + " "
        + new TreeMap<>(fingerprint)
        + (severity.isEmpty() ? "" : ", severity " + severity)
        + (summary.isEmpty() ? "" : ", summary '" + summary + "'");
  }
}
