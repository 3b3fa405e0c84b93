package io.tocsin.rules.command;

import io.tocsin.rules.document.RuleOverride;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules check}. */
@Command(
    name = "check",
    description =
        "Reads documents as the job does, and says file, line and reason of what it would refuse, and what a site's"
            + " overrides change.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
  @Mixin private RulePaths paths;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    RuleFiles files = paths.read(spec.commandLine().getErr());
    PrintWriter out = spec.commandLine().getOut();
    for (RuleOverride override : files.overrides()) {
      out.println(
          override.origin()
              + " sets "
              + String.join(", ", override.fieldNames())
              + " of "
              + override.target());
    }
    out.println("ok: " + RulePaths.count(files));
    return 0;
  }
}
