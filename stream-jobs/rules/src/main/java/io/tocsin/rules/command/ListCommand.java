package io.tocsin.rules.command;

import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules list}. */
@Command(
    name = "list",
    description =
        "Prints the documents of topic rules-v1: what is in force, and which override set what.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Option(names = "--yaml", description = "print the documents themselves")
  private boolean isYaml;

  @Override
  public Integer call() {
    RulesTopic.Contents contents = kafka.onTopic(RulesTopic::read);
    PrintWriter out = spec.commandLine().getOut();
    if (!isYaml) {
      out.printf("%-32s %-12s %-20s %s%n", "NAME", "KIND", "PUSHED", "FROM");
    }
    contents.documents().values().forEach(record -> print(out, record));
    contents.undecodable().forEach(name -> out.printf("%-32s %-12s%n", name, "unreadable"));
    return 0;
  }

  private void print(PrintWriter out, RuleDocument record) {
    if (isYaml) {
      out.println("---\n" + record.getYaml().stripTrailing());
      return;
    }
    out.printf(
        "%-32s %-12s %-20s %s%n",
        record.getName(),
        kindOf(record),
        Instant.ofEpochSecond(record.getPushedAtUnixNanos() / NANOS_PER_SECOND),
        record.getOrigin());
  }

  private static String kindOf(RuleDocument record) {
    try {
      RuleBook.read(record);
      return DocumentLoader.kindOf(DocumentText.of(record.getOrigin(), record.getYaml()));
    } catch (DocumentException e) {
      return "refused";
    }
  }
}
