package io.tocsin.rules.command;

import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
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
    subcommands = {SilenceListCommand.class, SilenceRemoveCommand.class},
    footer = {
      "",
      "Examples:",
      "  tocsin-rules silence --device 'edge*' --for 2h --why 'fibre work, ticket 4711'",
      "  tocsin-rules silence --site hq --check link --from '2026-11-24 22:00' --until '2026-11-25 02:00' \\",
      "      --zone Europe/Berlin --why 'core upgrade'",
      "  tocsin-rules silence list",
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
    Instant starts = times.starts(now);
    Instant ends = times.ends(starts);
    String document = name == null ? NAME.format(now) : name;
    String yaml;
    try {
      yaml = Silence.yaml(document, alerts(), starts, ends, why);
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(e.getMessage(), "tocsin-rules silence --help has examples");
    }
    if (!now.isBefore(ends)) {
      throw CommandException.usage(
          "it would be over already: it ends at " + ends, "let it end in the future");
    }
    put(document, yaml, now);
    return 0;
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

  private void put(String document, String yaml, Instant now) {
    String origin = "tocsin-rules silence, " + System.getProperty("user.name");
    RuleDocument record = RulesTopic.document(document, yaml, origin, now);
    Silence silence =
        Silence.of(record)
            .orElseThrow(
                () ->
                    CommandException.usage(
                        "'" + document + "' is no name for a document",
                        "give up to 100 lower-case letters, digits and any of -_./"));
    kafka.onTopic(topic -> publish(record, topic));
    spec.commandLine()
        .getOut()
        .printf(
            "silenced %s from %s until %s (%s)%nends earlier by: tocsin-rules silence remove %s%n",
            silence.alerts(), silence.starts(), silence.ends(), silence.stateAt(now), document);
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
