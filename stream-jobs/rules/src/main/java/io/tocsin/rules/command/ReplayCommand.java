package io.tocsin.rules.command;

import io.tocsin.correlation.Nanos;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.history.History;
import io.tocsin.rules.replay.AlertPath;
import io.tocsin.rules.replay.AlertPathOptions;
import io.tocsin.rules.replay.Comparison;
import io.tocsin.rules.replay.Difference;
import io.tocsin.rules.replay.Identity;
import io.tocsin.rules.replay.Replay;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules replay}. */
@Command(
    name = "replay",
    description = {
      "Plays what happened through rules that are in force and through changed ones, by the code of the jobs, and says",
      "which pages would be others. Exit code 0: none, 1: some, 2: it could not be played."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
  private static final String CURRENT = "current";
  private static final int DIFFERENT = 1;
  private static final int FAILED = 2;

  @Option(
      names = "--rules",
      paramLabel = "PATH",
      arity = "1..*",
      required = true,
      description = "the changed rules: files, and folders with *.yaml under them")
  private List<Path> rules;

  @Option(
      names = "--against",
      paramLabel = "PATH|current",
      arity = "1..*",
      defaultValue = CURRENT,
      description = "what they are compared with: files and folders, or what is in force (default)")
  private List<String> against;

  @Mixin private ReplayTimes times;
  @Mixin private HistoryOptions source;

  @Option(
      names = "--key",
      paramLabel = "FIELD,..",
      split = ",",
      description = {
        "try another identity of alerts as well: source, device, check, site, names of labels. Says which",
        "alerts would be one, and which several"
      })
  private List<String> key = List.of();

  @Option(
      names = "--format",
      paramLabel = "table|json|html",
      defaultValue = "table",
      description = "html is one page, to attach to a review (default: ${DEFAULT-VALUE})")
  private Format format;

  @Mixin private AlertPathOptions job;
  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  private enum Format {
    table,
    json,
    html
  }

  @Override
  public Integer call() {
    try {
      return replay();
    } catch (CommandException e) {
      throw e.exitingWith(FAILED);
    } catch (UncheckedIOException e) {
      throw new CommandException(e.getMessage(), "check --source and where it is")
          .exitingWith(FAILED);
    } catch (RuntimeException e) {
      throw new CommandException(
              "the replay failed: " + e.getMessage(), "this is a mistake of ours: please report it")
          .exitingWith(FAILED);
    }
  }

  private int replay() {
    Instant now = Clock.systemUTC().instant();
    Instant from = times.from(now);
    Instant to = times.to(now);
    if (!from.isBefore(to)) {
      throw CommandException.usage("--from is no time before --to", "give an earlier --from");
    }
    List<String> unknowns = new ArrayList<>();
    Map<String, RuleDocument> before = documentsBefore(unknowns, now);
    Map<String, RuleDocument> after = documentsOf(rules, now);
    Identity identity = key.isEmpty() ? null : new Identity(key);
    long startNanos = Nanos.of(from.minus(times.warmUp()));
    Replay replay =
        new Replay(jobSettings(), before.values(), after.values(), identity, startNanos);
    History history = source.history(kafka);
    ReplayProgress progress = new ReplayProgress(spec.commandLine().getErr(), replay);
    history.play(startNanos, Nanos.of(to), progress);
    replay.end(Nanos.of(to));
    progress.end();
    Comparison comparison =
        new Comparison(
            replay.before(),
            replay.after(),
            texts(before),
            texts(after),
            Nanos.of(from),
            Nanos.of(to));
    List<Difference> differences = identity == null ? comparison.differences() : List.of();
    unknowns.addAll(history.unknowns());
    unknowns.add(
        "what opened before "
            + from.minus(times.warmUp())
            + " and nothing repeated since is not known: a longer --warm-up knows more");
    ReplayReport report =
        new ReplayReport(
            from,
            to,
            replay.events(),
            comparison.pages(replay.before()),
            comparison.pages(replay.after()),
            differences,
            identity == null ? List.of() : identity.merged(),
            identity == null ? List.of() : identity.split(),
            unknowns);
    spec.commandLine().getOut().print(written(report));
    spec.commandLine().getOut().flush();
    return report.hasDifferences() ? DIFFERENT : 0;
  }

  private AlertPath.Settings jobSettings() {
    try {
      return job.settings();
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(e.getMessage(), "give what the alerts job was started with");
    }
  }

  private String written(ReplayReport report) {
    return switch (format) {
      case table -> report.table();
      case json -> report.json();
      case html -> ReplayPage.of(report);
    };
  }

  private Map<String, RuleDocument> documentsBefore(List<String> unknowns, Instant now) {
    if (!against.equals(List.of(CURRENT))) {
      return documentsOf(against.stream().map(Path::of).toList(), now);
    }
    RulesTopic.Contents inForce = kafka.onTopic(RulesTopic::read);
    Map<String, RuleDocument> documents = new TreeMap<>();
    inForce
        .documents()
        .forEach(
            (name, document) -> {
              try {
                RuleBook.read(document);
                documents.put(name, document);
              } catch (DocumentException e) {
                unknowns.add("'" + name + "' is in force and not understood: " + e.getMessage());
              }
            });
    return documents;
  }

  private Map<String, RuleDocument> documentsOf(List<Path> paths, Instant now) {
    Map<String, RuleDocument> documents = new TreeMap<>();
    RulePaths.read(paths, spec.commandLine().getErr())
        .documents()
        .forEach(
            (name, loaded) ->
                documents.put(
                    name,
                    RulesTopic.document(name, loaded.text().text(), loaded.text().origin(), now)));
    return documents;
  }

  private static Map<String, String> texts(Map<String, RuleDocument> documents) {
    Map<String, String> texts = new TreeMap<>();
    documents.forEach((name, document) -> texts.put(name, document.getYaml()));
    return texts;
  }
}
