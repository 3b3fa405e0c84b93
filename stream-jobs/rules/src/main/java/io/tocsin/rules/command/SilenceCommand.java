package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Nanos;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules silence}. */
@Command(
    name = "silence",
    description = {
      "Silences alerts for planned work: meanwhile they page nobody, and what is still open at the end is paged then.",
      "They are kept and shown as in maintenance. An alert is meant where every named field has one of its values;",
      "* stands for any characters."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    subcommands = {SilenceListCommand.class, SilenceShowCommand.class, SilenceRemoveCommand.class},
    footer = {
      "",
      "Examples:",
      "  tocsin-rules silence --device 'edge*' --for 2h --why 'fibre work, ticket 4711'",
      "  tocsin-rules silence --site hq --check link --from '2026-11-24 22:00' --until '2026-11-25 02:00' \\",
      "      --zone Europe/Berlin --why 'core upgrade'",
      "  tocsin-rules silence --label role=access --from '2026-11-29 02:00' --for 2h --zone Europe/Berlin \\",
      "      --repeats 'FREQ=MONTHLY;BYDAY=-1SU' --name patch-sunday --why 'patches' --dry-run",
      "  tocsin-rules silence list",
      "  tocsin-rules silence show patch-sunday",
      "  tocsin-rules silence remove silence-20261124-210000"
    })
final class SilenceCommand implements Callable<Integer> {

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("'silence-'yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "of these devices; may be repeated")
  private List<String> devices = List.of();

  @Option(names = "--check", paramLabel = "NAME", description = "of these checks")
  private List<String> checks = List.of();

  @Option(names = "--site", paramLabel = "NAME", description = "of these sites")
  private List<String> sites = List.of();

  @Option(names = "--source", paramLabel = "NAME", description = "from these sources")
  private List<String> sources = List.of();

  @Option(names = "--label", paramLabel = "NAME=VALUE", description = "with this label")
  private Map<String, String> labels = Map.of();

  @Mixin private SilenceTimes times;

  @Option(
      names = "--why",
      paramLabel = "TEXT",
      description = "what for: a ticket, a name, a few words")
  private String why;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "of the window, as dashboards show it (default: silence- and the time)")
  private String name;

  @Option(
      names = "--dry-run",
      description = "say when it will be on and which open alerts it covers, and do nothing")
  private boolean isDryRun;

  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (why == null || why.isBlank()) {
      throw CommandException.usage(
          "it is not said what for",
          "give --why: who wonders at night why nobody was paged reads it");
    }
    Instant now = Clock.systemUTC().instant();
    String document = name == null ? NAME.format(now) : name;
    RuleDocument record =
        RulesTopic.document(
            document,
            Silence.yaml(document, alerts(), times.keys(now), why),
            "tocsin-rules silence, " + System.getProperty("user.name"),
            now);
    Silence silence = silence(record);
    if (silence.isOverAt(now)) {
      throw CommandException.usage("it would be over already", "let it end in the future");
    }
    PrintWriter out = spec.commandLine().getOut();
    if (isDryRun) {
      List<Alert> open = kafka.onAlerts(topic -> topic.open(silence.window().alerts()::matches));
      LookAhead.print(silence, open, now, out);
      return 0;
    }
    kafka.onTopic(topic -> publish(record, topic));
    out.printf(
        "silenced %s from %s until %s, %s (%s)%nends earlier by: tocsin-rules silence remove %s%n",
        silence.alerts(),
        Nanos.toInstant(silence.shown(now).startsAtUnixNanos()),
        Nanos.toInstant(silence.shown(now).endsAtUnixNanos()),
        silence.repeats(),
        silence.stateAt(now),
        silence.name());
    return 0;
  }

  private static Silence silence(RuleDocument record) {
    try {
      return Silence.of(RuleBook.read(record), record.getOrigin()).orElseThrow();
    } catch (DocumentException e) {
      throw CommandException.usage(e.reason(), "tocsin-rules silence --help has examples");
    }
  }

  private Map<String, List<String>> alerts() {
    Map<String, List<String>> alerts = new TreeMap<>();
    alerts.put("device", devices);
    alerts.put("check", checks);
    alerts.put("site", sites);
    alerts.put("source", sources);
    labels.forEach((label, value) -> alerts.put("labels." + label, List.of(value)));
    alerts.values().removeIf(List::isEmpty);
    return alerts;
  }

  private static RuleDocument publish(RuleDocument record, RulesTopic topic) {
    if (topic.read().documents().containsKey(record.getName())) {
      throw new CommandException(
          "'" + record.getName() + "' is in force already",
          "give another --name, or end that one: tocsin-rules silence remove " + record.getName());
    }
    topic.publish(List.of(record), List.of());
    return record;
  }
}
