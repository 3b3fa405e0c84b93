package io.tocsin.rules.command;

import io.tocsin.rules.document.DocumentException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Which files a command reads; all of them must be usable. */
final class RulePaths {
  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description = "files of rules, and folders with *.yaml under them")
  private List<Path> paths;

  /**
   * Reads the files.
   *
   * @throws CommandException with exit code 64 where something is refused; each refusal has then
   *     been printed
   */
  RuleFiles read(PrintWriter err) {
    return read(paths, err);
  }

  /** The same of paths that another option names. */
  static RuleFiles read(List<Path> paths, PrintWriter err) {
    RuleFiles files = RuleFiles.read(paths);
    for (DocumentException problem : files.problems()) {
      err.println(problem.getMessage());
    }
    if (!files.problems().isEmpty()) {
      throw CommandException.usage(
          files.problems().size() + " documents are refused",
          "the lines above say where and why; deploy/rules/README.md explains every key");
    }
    if (files.documents().isEmpty()) {
      throw CommandException.usage(
          "no document in " + paths, "give files of rules, or folders with *.yaml in them");
    }
    return files;
  }

  /** "12 rules, 3 trees, 1 maintenance windows and dependencies, 2 overrides". */
  static String count(RuleFiles files) {
    int rules = files.rules().size();
    int trees = files.trees().size();
    int others = files.documents().size() - rules - trees;
    return rules
        + " rules, "
        + trees
        + " trees, "
        + others
        + " maintenance windows and dependencies, "
        + files.overrides().size()
        + " overrides";
  }
}
