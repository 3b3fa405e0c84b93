package io.tocsin.embedded.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rule documents of a scenario with times that are told from the moment of the push: <code>
 * {{now+20s}}</code> becomes the instant 20 s after it, in whole seconds; <code>{{now-1h}}</code>
 * one before it.
 */
final class TimedDocuments {
  private static final Pattern TIME = Pattern.compile("\\{\\{now([+-])(\\d+[smh])}}");

  private TimedDocuments() {}

  /**
   * Writes the documents of a folder with their times filled in, lets them be used, and removes
   * them.
   *
   * @param now the moment of the push
   * @param user takes the folder of filled documents, which is gone when it returns
   */
  static void fill(Path folder, Instant now, Consumer<Path> user) {
    try {
      Path filled = Files.createTempDirectory("tocsin-rules-");
      try {
        for (Path document : documents(folder)) {
          Files.writeString(
              filled.resolve(document.getFileName()), fill(Files.readString(document), now));
        }
        user.accept(filled);
      } finally {
        remove(filled);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(folder + " cannot be prepared: " + e.getMessage(), e);
    }
  }

  /** The text of a document with its times. */
  static String fill(String text, Instant now) {
    return TIME.matcher(text)
        .replaceAll(
            found -> {
              Duration distance = Duration.parse("PT" + found.group(2));
              Instant time = found.group(1).equals("+") ? now.plus(distance) : now.minus(distance);
              return time.truncatedTo(ChronoUnit.SECONDS).toString();
            });
  }

  private static List<Path> documents(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
