package io.tocsin.rules.command;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.model.EnumWords;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.match.Player;
import io.tocsin.rules.match.RuleSet;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules test}. */
@Command(
    name = "test",
    description = {
      "Plays the examples in the files and says which do not hold; each proves its rule as it is written, without",
      "overrides. With --syslog or --events it prints the signals that the rules, with overrides, make of recorded",
      "messages instead."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Mixin private RulePaths paths;
  @Spec private CommandSpec spec;

  @ArgGroup private Samples samples;

  @Option(
      names = "--tocsin",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_BINARY:-tocsin}",
      description =
          "the tocsin binary, whose `tocsin parse` reads syslog (default: TOCSIN_BINARY, else tocsin on the PATH)")
  private String tocsin;

  @Option(names = "--json", description = "print signals in protobuf's JSON form, one a line")
  private boolean isJson;

  /** What to play instead of the examples. */
  private static final class Samples {
    @Option(
        names = "--syslog",
        paramLabel = "FILE",
        description = "syslog messages, one a line; - for standard input")
    private Path syslog;

    @Option(
        names = "--events",
        paramLabel = "FILE",
        description = "events as `tocsin parse` prints them, one a line; - for standard input")
    private Path events;
  }

  @Override
  public Integer call() {
    RuleFiles files = paths.read(spec.commandLine().getErr());
    SyslogParser parser = new SyslogParser(tocsin);
    return samples == null ? playExamples(files, parser) : playSamples(files, parser);
  }

  private int playExamples(RuleFiles files, SyslogParser parser) {
    ExampleRun run = ExampleRun.of(files, parser);
    for (DocumentException problem : run.problems()) {
      spec.commandLine().getErr().println(problem.getMessage());
    }
    int failed = run.problems().size();
    PrintWriter out = spec.commandLine().getOut();
    out.println((failed == 0 ? "ok: " : "FAILED: " + failed + " of ") + run.played() + " examples");
    return failed == 0 ? 0 : 1;
  }

  private int playSamples(RuleFiles files, SyslogParser parser) {
    RuleSet rules = RuleSet.of(files.rules());
    Player player = new Player();
    List<List<Event>> events =
        samples.syslog != null
            ? parser.parse(EventJson.lines(samples.syslog))
            : EventJson.readAll(samples.events).stream().map(List::of).toList();
    int signals = 0;
    for (int i = 0; i < events.size(); i++) {
      for (Event event : events.get(i)) {
        for (Signal signal : player.play(rules, event)) {
          signals++;
          spec.commandLine().getOut().println(isJson ? json(signal) : line(i + 1, signal));
        }
      }
    }
    if (!isJson) {
      spec.commandLine().getOut().println(signals + " signals of " + events.size() + " lines");
    }
    return 0;
  }

  private static String line(int number, Signal signal) {
    boolean isRaise = signal.getKind() == Signal.Kind.KIND_RAISE;
    return String.format(
        Locale.ROOT,
        "line %d: %s %s %s %s: %s",
        number,
        isRaise ? "raise" : "clear",
        signal.getRule(),
        EnumWords.wordOf(signal.getSeverity()),
        new TreeMap<>(signal.getFingerprintFieldsMap()),
        signal.getSummary());
  }

  private static String json(Signal signal) {
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(signal);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a Signal has no Any that could fail to print", e);
    }
  }
}
