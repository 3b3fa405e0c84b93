package io.tocsin.rules.command;

import io.tocsin.correlation.alerts.FaultTree;
import io.tocsin.correlation.alerts.TreeNode;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import io.tocsin.rules.document.Document;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.document.PolicyDocument;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.document.RuleOverride;
import io.tocsin.rules.document.TreeLoader;
import io.tocsin.rules.document.TreeTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

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
    files.checkTrees();
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

  /** Names of the rules and trees that an override takes out of force. */
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
      return files
          .filter(file -> file.toString().endsWith(".yaml") && !isHidden(path.relativize(file)))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * What an editor leaves, and the second copy of each file in a volume of a Kubernetes ConfigMap.
   */
  private static boolean isHidden(Path file) {
    return StreamSupport.stream(file.spliterator(), false)
        .anyMatch(name -> name.toString().startsWith("."));
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
        } else if (DocumentLoader.kindOf(text).equals(TreeTemplate.KIND)) {
          TreeTemplate.expand(text, inventory -> readBeside(file, inventory))
              .forEach(tree -> addExpanded(text, tree));
        } else {
          add(text, DocumentLoader.load(text));
        }
      } catch (DocumentException e) {
        problems.add(e);
      }
    }
  }

  /** What is wrong with a tree of a template is said of the template, with the tree's own text. */
  private void addExpanded(DocumentText template, DocumentText tree) {
    try {
      add(tree, DocumentLoader.load(tree));
    } catch (DocumentException e) {
      String name =
          tree.text().lines().filter(line -> line.startsWith("name: ")).findFirst().orElse("");
      String reason = e.getMessage().substring((e.file() + ":" + e.line() + ": ").length());
      throw new DocumentException(
          template.file(), template.firstLine(), "the tree of " + name + ": " + reason);
    }
  }

  private static DocumentText readBeside(Path file, String inventory) {
    Path path = file.resolveSibling(inventory);
    try {
      return new DocumentText(path.toString(), 1, Files.readString(path));
    } catch (IOException e) {
      throw new DocumentException(path.toString(), 1, "cannot be read: " + e.getMessage());
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
          RuleOverride other = setBy.putIfAbsent(override.target() + ' ' + field, override);
          if (other != null) {
            throw override.fieldRefusal(
                field,
                "'" + field + "' of '" + override.target() + "' is set by " + other.origin());
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
    Loaded loaded = documents.get(override.target());
    boolean isThere =
        loaded != null
            && (override.isOfTree() ? treeOf(loaded).isPresent() : loaded.written instanceof Rule);
    if (!isThere) {
      String kind = override.isOfTree() ? "tree" : "rule";
      throw override.targetRefusal(
          "no "
              + kind
              + " '"
              + override.target()
              + "' in these files: an override is read together with the "
              + kind
              + " that it changes");
    }
    if (!override.isEnabled()) {
      disabled.add(override.target());
      return;
    }
    DocumentText text = override.applyTo(loaded.text);
    documents.put(override.target(), new Loaded(text, DocumentLoader.load(text), loaded.written));
  }

  private static Optional<FaultTree> treeOf(Loaded loaded) {
    return loaded.document instanceof PolicyDocument document
            && document.policy() instanceof FaultTree tree
        ? Optional.of(tree)
        : Optional.empty();
  }

  /** The trees to be in force. */
  List<FaultTree> trees() {
    return documents.values().stream().flatMap(loaded -> treeOf(loaded).stream()).toList();
  }

  /** A tree that names one that is not there, or itself by way of others, could never be true. */
  private void checkTrees() {
    Map<String, Set<String>> named = new TreeMap<>();
    for (FaultTree tree : trees()) {
      Set<String> names = new TreeSet<>();
      for (TreeNode leaf : FaultTree.leavesOf(tree.top())) {
        if (leaf instanceof TreeLeaf other) {
          names.add(other.tree());
        }
      }
      named.put(tree.name(), names);
    }
    named.forEach(
        (tree, others) -> {
          for (String other : others) {
            if (!named.containsKey(other)) {
              refuseReference(tree, other, "no tree '" + other + "' in these files");
            } else if (reaches(other, tree, named, new TreeSet<>())) {
              refuseReference(
                  tree,
                  other,
                  "a circle: '" + tree + "' follows from '" + other + "', and that from it");
            }
          }
        });
  }

  private static boolean reaches(
      String from, String to, Map<String, Set<String>> named, Set<String> seen) {
    if (from.equals(to)) {
      return true;
    }
    return seen.add(from)
        && named.getOrDefault(from, Set.of()).stream()
            .anyMatch(next -> reaches(next, to, named, seen));
  }

  private void refuseReference(String tree, String other, String reason) {
    DocumentText text = documents.get(tree).text;
    problems.add(new DocumentException(text.file(), TreeLoader.lineOf(text, other), reason));
  }
}
