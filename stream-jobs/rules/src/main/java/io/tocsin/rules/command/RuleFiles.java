package io.tocsin.rules.command;

import io.tocsin.rules.document.Document;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The documents of some files and folders.
 *
 * @param documents by name
 * @param problems everything that was refused, in order of files and lines
 */
record RuleFiles(Map<String, Loaded> documents, List<DocumentException> problems) {
  /**
   * A document and the text that it was read from.
   *
   * @param text as it stands in the file
   * @param document what it says
   */
  record Loaded(DocumentText text, Document document) {}

  /** Reads files, and of folders every {@code *.yaml} under them. */
  static RuleFiles read(List<Path> paths) {
    RuleFiles files = new RuleFiles(new TreeMap<>(), new ArrayList<>());
    for (Path path : paths) {
      filesOf(path).forEach(files::add);
    }
    return files;
  }

  private static List<Path> filesOf(Path path) {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.walk(path)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
    }
  }

  private void add(Path file) {
    String content;
    try {
      content = Files.readString(file);
    } catch (CharacterCodingException e) {
      problems.add(new DocumentException(file.toString(), 1, "the file is not UTF-8"));
      return;
    } catch (IOException e) {
      problems.add(new DocumentException(file.toString(), 1, "cannot be read: " + e.getMessage()));
      return;
    }
    for (DocumentText text : DocumentText.split(file.toString(), content)) {
      try {
        add(text, DocumentLoader.load(text));
      } catch (DocumentException e) {
        problems.add(e);
      }
    }
  }

  private void add(DocumentText text, Document document) {
    Loaded other = documents.putIfAbsent(document.name(), new Loaded(text, document));
    if (other != null) {
      problems.add(
          new DocumentException(
              text.file(),
              text.firstLine(),
              "the name '" + document.name() + "' is taken by " + other.text.origin()));
    }
  }
}
