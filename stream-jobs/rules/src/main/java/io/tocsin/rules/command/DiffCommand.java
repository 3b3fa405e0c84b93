package io.tocsin.rules.command;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import io.tocsin.rules.topic.RulesTopic;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules diff}. */
@Command(
    name = "diff",
    description = "Says what a push of these files would change, line by line; does nothing.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class DiffCommand implements Callable<Integer> {
  private static final int CONTEXT_LINES = 3;

  @Mixin private RulePaths paths;
  @Mixin private PruneOptions prune;
  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    RuleFiles files = paths.read(spec.commandLine().getErr());
    RulesTopic.Contents inForce = kafka.onTopic(RulesTopic::read);
    PushPlan plan = prune.plan(files, inForce);
    PrintWriter out = spec.commandLine().getOut();
    print(files, inForce, plan, out);
    out.println(
        plan.changed().size()
            + " would be published, "
            + plan.removed().size()
            + " removed, of "
            + RulePaths.count(files));
    return 0;
  }

  /** Names, and below each document that changes the lines that do. */
  static void print(RuleFiles files, RulesTopic.Contents inForce, PushPlan plan, PrintWriter out) {
    plan.changed()
        .forEach(
            (name, loaded) -> {
              boolean isKnown = inForce.documents().containsKey(name);
              out.println(
                  (isKnown ? "changed  " : "added    ")
                      + name
                      + "  ("
                      + loaded.text().origin()
                      + ")");
              if (isKnown) {
                lines(inForce.documents().get(name).getYaml(), loaded.text().text())
                    .forEach(out::println);
              }
            });
    plan.removed()
        .forEach(
            name ->
                out.println(
                    "removed  "
                        + name
                        + (files.disabled().contains(name) ? "  (disabled by an override)" : "")));
  }

  /** As {@code diff -u} has them, without the names of files. */
  private static List<String> lines(String before, String after) {
    List<String> old = before.lines().toList();
    List<String> all =
        UnifiedDiffUtils.generateUnifiedDiff(
            "", "", old, DiffUtils.diff(old, after.lines().toList()), CONTEXT_LINES);
    return all.isEmpty() ? all : all.subList(2, all.size());
  }
}
