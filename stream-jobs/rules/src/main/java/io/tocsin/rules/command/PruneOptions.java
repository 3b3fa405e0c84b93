package io.tocsin.rules.command;

import io.tocsin.rules.topic.RulesTopic;
import picocli.CommandLine.Option;

/** What goes that is in force and not in the files. */
final class PruneOptions {
  @Option(
      names = "--prune",
      description =
          "remove rules and dependencies that are in force and not in the files; maintenance windows stay")
  private boolean isPruned;

  @Option(
      names = "--prune-windows",
      description = "remove maintenance windows that are in force and not in the files")
  private boolean isPrunedOfWindows;

  PushPlan plan(RuleFiles files, RulesTopic.Contents inForce) {
    return PushPlan.of(files, inForce, isPruned, isPrunedOfWindows);
  }
}
