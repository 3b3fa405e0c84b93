package io.tocsin.rules.command;

import io.tocsin.correlation.Nanos;
import io.tocsin.rules.topic.RulesTopic;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules silence list}. */
@Command(
    name = "list",
    description =
        "Prints the maintenance windows that are on or to come, by their next end; times in UTC.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class SilenceListCommand implements Callable<Integer> {
  private static final String LINE = "%-28s %-22s %-20s %-20s %-24s %-32s %s%n";

  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Option(names = "--all", description = "those that are over too")
  private boolean isAll;

  @Override
  public Integer call() {
    Instant now = Clock.systemUTC().instant();
    List<Silence> silences = all(kafka.onTopic(RulesTopic::read), now);
    print(silences, now, isAll, spec.commandLine().getOut());
    return 0;
  }

  /** The windows of the topic, by their next end. */
  static List<Silence> all(RulesTopic.Contents contents, Instant now) {
    return contents.documents().values().stream()
        .flatMap(record -> Silence.of(record).stream())
        .sorted(Comparator.comparing(each -> each.shown(now).endsAtUnixNanos()))
        .toList();
  }

  static void print(List<Silence> silences, Instant now, boolean isAll, PrintWriter out) {
    List<Silence> shown =
        silences.stream().filter(silence -> isAll || !silence.isOverAt(now)).toList();
    if (shown.isEmpty()) {
      out.println("nothing is silenced");
    } else {
      out.printf(LINE, "NAME", "STATE", "FROM", "UNTIL", "REPEATS", "ALERTS", "WHY");
      shown.forEach(silence -> print(silence, now, out));
    }
    int hidden = silences.size() - shown.size();
    if (hidden > 0) {
      out.println(
          hidden + " that are over: --all shows them, `silence remove --over` forgets them");
    }
  }

  private static void print(Silence silence, Instant now, PrintWriter out) {
    out.printf(
        LINE,
        silence.name(),
        silence.stateAt(now),
        time(silence.shown(now).startsAtUnixNanos()),
        time(silence.shown(now).endsAtUnixNanos()),
        silence.repeats(),
        silence.alerts(),
        silence.why().isEmpty() ? silence.origin() : silence.why() + " (" + silence.origin() + ")");
  }

  private static Instant time(long unixNanos) {
    return Nanos.toInstant(unixNanos).truncatedTo(ChronoUnit.SECONDS);
  }
}
