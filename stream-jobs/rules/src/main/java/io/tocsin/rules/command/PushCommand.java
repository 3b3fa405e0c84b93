package io.tocsin.rules.command;

import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules push}. */
@Command(
    name = "push",
    description = {
      "Puts documents in force: checks all of them, then publishes to topic rules-v1 those that differ from",
      "what is there. Running jobs take them without a restart. If one document is refused, nothing is published."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class PushCommand implements Callable<Integer> {
  @Mixin private RulePaths paths;
  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Option(
      names = "--prune",
      description =
          "remove rules and dependencies that are in force and not in the files; maintenance windows stay")
  private boolean isPruned;

  @Option(
      names = "--prune-windows",
      description = "remove maintenance windows that are in force and not in the files")
  private boolean isPrunedOfWindows;

  @Option(names = "--dry-run", description = "say what would be done, and do nothing")
  private boolean isDryRun;

  @Override
  public Integer call() {
    RuleFiles files = paths.read(spec.commandLine().getErr());
    return kafka.onTopic(topic -> push(files, topic));
  }

  private int push(RuleFiles files, RulesTopic topic) {
    RulesTopic.Contents before = topic.read();
    PushPlan plan = PushPlan.of(files, before, isPruned, isPrunedOfWindows);
    if (!isDryRun) {
      List<RuleDocument> changed = new ArrayList<>();
      Instant now = Clock.systemUTC().instant();
      plan.changed()
          .forEach(
              (name, loaded) ->
                  changed.add(
                      RulesTopic.document(
                          name, loaded.text().text(), loaded.text().origin(), now)));
      topic.publish(changed, plan.removed());
    }
    report(files, before, plan);
    return 0;
  }

  private void report(RuleFiles files, RulesTopic.Contents before, PushPlan plan) {
    PrintWriter out = spec.commandLine().getOut();
    plan.changed()
        .forEach(
            (name, loaded) ->
                out.println(
                    (before.documents().containsKey(name) ? "changed  " : "added    ")
                        + name
                        + (loaded.document() == loaded.written()
                            ? ""
                            : "  (" + loaded.text().origin() + ")")));
    plan.removed()
        .forEach(
            name ->
                out.println(
                    "removed  "
                        + name
                        + (files.disabled().contains(name) ? "  (disabled by an override)" : "")));
    out.println(
        (isDryRun ? "would be in force: " : "in force: ")
            + RulePaths.count(files)
            + " of these files; "
            + plan.changed().size()
            + " published, "
            + plan.removed().size()
            + " removed");
  }
}
