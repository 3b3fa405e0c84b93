package io.tocsin.rules.command;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code tocsin-rules}: arguments, help and exit codes. */
@Command(
    name = "tocsin-rules",
    description = "Checks, tries and publishes the rules of the alerts job.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    subcommands = {
      InitCommand.class,
      CheckCommand.class,
      TestCommand.class,
      DiffCommand.class,
      ReplayCommand.class,
      PushCommand.class,
      ListCommand.class,
      ExplainCommand.class,
      SilenceCommand.class,
      BenchCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  tocsin-rules init my-rules                           start a folder of your own",
      "  tocsin-rules check deploy/rules my-rules             is every document usable?",
      "  tocsin-rules test deploy/rules                       do the examples in the files hold?",
      "  tocsin-rules test deploy/rules --syslog lines.log    which signals would these lines make?",
      "  tocsin-rules diff deploy/rules --prune               what would a push change, line by line?",
      "  tocsin-rules replay --rules my-rules --from 7d       which pages of the last week would be others?",
      "  tocsin-rules push deploy/rules --prune               put these in force, and nothing else",
      "  tocsin-rules list                                    what is in force?",
      "  tocsin-rules explain storage                         where does this fault tree stand?",
      "  tocsin-rules silence --device 'edge*' --for 2h --why 'ticket 4711'   nobody is paged for planned work",
      "",
      "Exit codes: 0 done, 1 could not be done or an example does not hold, 64 the command line or a file is not usable;",
      "of replay: 0 the same pages, 1 others, 2 could not be played."
    })
public final class Main {
  private static final int EXIT_USAGE = 64;

  private Main() {}

  /** Runs one command. */
  public static void main(String[] args) {
    System.exit(run(args));
  }

  static int run(String... args) {
    return run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), args);
  }

  static int run(PrintWriter out, PrintWriter err, String... args) {
    return new CommandLine(new Main())
        .setOut(out)
        .setErr(err)
        .setExecutionExceptionHandler(
            (e, commandLine, parsed) -> {
              if (e instanceof CommandException failure) {
                commandLine.getErr().println("error: " + failure.getMessage());
                commandLine.getErr().println("help: " + failure.remedy());
                return failure.exitCode();
              }
              if (e instanceof UncheckedIOException) {
                commandLine.getErr().println("error: " + e.getMessage());
                return EXIT_USAGE;
              }
              throw e;
            })
        .setParameterExceptionHandler(
            (e, arguments) -> {
              e.getCommandLine().getErr().println("error: " + e.getMessage());
              e.getCommandLine().usage(e.getCommandLine().getErr());
              return EXIT_USAGE;
            })
        .execute(args.length == 0 ? new String[] {"--help"} : args);
  }
}
