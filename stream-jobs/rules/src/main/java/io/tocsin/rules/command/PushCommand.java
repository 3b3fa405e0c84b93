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
import picocli.CommandLine.Spec;

/** {@code tocsin-rules push}. */
@Command(
    name = "push",
    description = {
      "Puts documents in force: checks all of them, then publishes to topic rules-v1 those that differ from",
      "what is there. Running jobs take them without a restart. If one document is refused, nothing is published.",
      "`tocsin-rules diff` says beforehand what it would change."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class PushCommand implements Callable<Integer> {
  @Mixin private RulePaths paths;
  @Mixin private PruneOptions prune;
  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    RuleFiles files = paths.read(spec.commandLine().getErr());
    return kafka.onTopic(topic -> push(files, topic));
  }

  private int push(RuleFiles files, RulesTopic topic) {
    RulesTopic.Contents before = topic.read();
    PushPlan plan = prune.plan(files, before);
    List<RuleDocument> changed = new ArrayList<>();
    Instant now = Clock.systemUTC().instant();
    plan.changed()
        .forEach(
            (name, loaded) ->
                changed.add(
                    RulesTopic.document(name, loaded.text().text(), loaded.text().origin(), now)));
    topic.publish(changed, plan.removed());
    PrintWriter out = spec.commandLine().getOut();
    DiffCommand.print(files, before, plan, out);
    out.println(
        "in force: "
            + RulePaths.count(files)
            + " of these files; "
            + plan.changed().size()
            + " published, "
            + plan.removed().size()
            + " removed");
    return 0;
  }
}
