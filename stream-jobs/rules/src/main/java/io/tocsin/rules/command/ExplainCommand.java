package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.alerts.FaultTree;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.v1.RuleDocument;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules explain}. */
@Command(
    name = "explain",
    description =
        "Says where a fault tree stands by the alerts that are open now: what is down since when, which sets of failures"
            + " are enough, and what must not fail. Without a name: all of them, one a line.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TREE", arity = "0..1", description = "a tree that is in force")
  private String name;

  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    List<FaultTree> trees =
        kafka.onTopic(
            topic ->
                topic.read().documents().values().stream()
                    .flatMap(ExplainCommand::treeOf)
                    .toList());
    if (name != null && trees.stream().noneMatch(tree -> tree.name().equals(name))) {
      throw CommandException.usage(
          "'" + name + "' is no tree that is in force", "`tocsin-rules explain` prints them");
    }
    List<Alert> open = kafka.onAlerts(topic -> topic.open(alert -> true));
    TreeExplanation explanation = new TreeExplanation(trees, open, Clock.systemUTC().instant());
    PrintWriter out = spec.commandLine().getOut();
    if (name == null) {
      explanation.printAll(out);
    } else {
      explanation.print(name, out);
    }
    return 0;
  }

  /** A document that this build does not understand is none of its trees. */
  private static Stream<FaultTree> treeOf(RuleDocument record) {
    try {
      return RuleBook.policy(record)
          .filter(FaultTree.class::isInstance)
          .map(FaultTree.class::cast)
          .stream();
    } catch (DocumentException e) {
      return Stream.empty();
    }
  }
}
