package io.tocsin.rules.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules init}. */
@Command(
    name = "init",
    description = {
      "Starts a folder of your site's own: an override that lets uplinks page, a rule with an example, and the schema",
      "by which an editor completes and checks them. It overwrites nothing."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class InitCommand implements Callable<Integer> {
  private static final List<String> FILES =
      List.of("uplinks.yaml", "fan.yaml", "rules.schema.json");

  @Parameters(paramLabel = "FOLDER", description = "where; it is made")
  private Path folder;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    for (String name : FILES) {
      if (Files.exists(folder.resolve(name))) {
        throw new CommandException(
            folder.resolve(name) + " is there already", "name a folder that is new or empty");
      }
    }
    try {
      Files.createDirectories(folder);
      for (String name : FILES) {
        try (InputStream content = InitCommand.class.getResourceAsStream("/init/" + name)) {
          Files.copy(content, folder.resolve(name));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(folder + " cannot be written: " + e.getMessage(), e);
    }
    spec.commandLine()
        .getOut()
        .printf(
            "wrote %s into %s%nnext: edit them, then give the folder beside the shipped rules to check, test, diff and push%n",
            String.join(", ", FILES), folder);
    return 0;
  }
}
