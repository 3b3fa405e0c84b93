package io.tocsin.rules.command;

import io.tocsin.rules.topic.RulesTopic;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules silence remove}. */
@Command(
    name = "remove",
    description = "Ends maintenance windows now: what they cover and is still open is paged.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class SilenceRemoveCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", arity = "0..*", description = "as `silence list` prints it")
  private List<String> names = List.of();

  @Option(names = "--over", description = "all that are over: nothing changes but the list")
  private boolean isOver;

  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (names.isEmpty() && !isOver) {
      throw CommandException.usage(
          "no window is named", "give a NAME that `tocsin-rules silence list` prints, or --over");
    }
    Set<String> removed =
        kafka.onTopic(
            topic -> {
              Set<String> named = removed(topic.read(), Clock.systemUTC().instant());
              topic.publish(List.of(), named);
              return named;
            });
    removed.forEach(name -> spec.commandLine().getOut().println("removed  " + name));
    return 0;
  }

  /** All or nothing: a name that is no window's is refused before anything is removed. */
  private Set<String> removed(RulesTopic.Contents contents, Instant now) {
    List<Silence> silences = SilenceListCommand.all(contents, now);
    Set<String> known = silences.stream().map(Silence::name).collect(Collectors.toSet());
    Set<String> removed = new TreeSet<>(names);
    for (String name : removed) {
      if (!known.contains(name)) {
        throw CommandException.usage(
            "'" + name + "' is no maintenance window that is in force",
            "`tocsin-rules silence list --all` prints them; a rule is removed by `push --prune`");
      }
    }
    silences.stream()
        .filter(silence -> isOver && silence.isOverAt(now))
        .map(Silence::name)
        .forEach(removed::add);
    return removed;
  }
}
