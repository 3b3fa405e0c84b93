package io.tocsin.rules.command;

import io.tocsin.rules.document.Document;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.document.RuleOverride;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The documents of some files and folders, with the overrides among them applied. */
final class RuleFiles {
  /**
   * A document and the text that it was read from.
   *
   * @param text as it is pushed
   * @param document what it says
   * @param written what its file says, without overrides
   */
  record Loaded(DocumentText text, Document document, Document written) {}

  private final Map<String, Loaded> documents = new TreeMap<>();
  private final List<RuleOverride> overrides = new ArrayList<>();
  private final Set<String> disabled = new TreeSet<>();
  private final List<DocumentException> problems = new ArrayList<>();

  private RuleFiles() {}

  /** Reads files, and of folders every {@code *.yaml} under them. */
  static RuleFiles read(List<Path> paths) {
    RuleFiles files = new RuleFiles();
    for (Path path : paths) {
      filesOf(path).forEach(files::add);
    }
    files.applyOverrides();
    return files;
  }

  /** What is to be in force, by name. */
  Map<String, Loaded> documents() {
    return documents;
  }

  /** The rules to be in force. */
  List<Rule> rules() {
    return documents.values().stream()
        .map(Loaded::document)
        .filter(Rule.class::isInstance)
        .map(Rule.class::cast)
        .toList();
  }

  /** Overrides, in order of files and lines. */
  List<RuleOverride> overrides() {
    return overrides;
  }

  /** Names of the rules that an override takes out of force. */
  Set<String> disabled() {
    return disabled;
  }

  /** Everything that was refused, in order of files and lines; overrides come last. */
  List<DocumentException> problems() {
    return problems;
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
        if (DocumentLoader.kindOf(text).equals(RuleOverride.KIND)) {
          overrides.add(RuleOverride.load(text));
        } else {
          add(text, DocumentLoader.load(text));
        }
      } catch (DocumentException e) {
        problems.add(e);
      }
    }
  }

  private void add(DocumentText text, Document document) {
    Loaded other = documents.putIfAbsent(document.name(), new Loaded(text, document, document));
    if (other != null) {
      problems.add(
          new DocumentException(
              text.file(),
              text.firstLine(),
              "the name '" + document.name() + "' is taken by " + other.text.origin()));
    }
  }

  private void applyOverrides() {
    Map<String, RuleOverride> setBy = new HashMap<>();
    for (RuleOverride override : overrides) {
      try {
        for (String field : override.fieldNames()) {
          RuleOverride other = setBy.putIfAbsent(override.rule() + ' ' + field, override);
          if (other != null) {
            throw override.fieldRefusal(
                field, "'" + field + "' of '" + override.rule() + "' is set by " + other.origin());
          }
        }
        apply(override);
      } catch (DocumentException e) {
        problems.add(e);
      }
    }
    documents.keySet().removeAll(disabled);
  }

  private void apply(RuleOverride override) {
    Loaded loaded = documents.get(override.rule());
    if (loaded == null || !(loaded.written instanceof Rule)) {
      throw override.ruleRefusal(
          "no rule '"
              + override.rule()
              + "' in these files: an override is read together with the rule that it changes");
    }
    if (!override.isEnabled()) {
      disabled.add(override.rule());
      return;
    }
    DocumentText text = override.applyTo(loaded.text);
    documents.put(override.rule(), new Loaded(text, DocumentLoader.load(text), loaded.written));
  }
}
