package io.tocsin.rules.document;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.model.EnumWords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One mapping of a document: asks for its keys by type, remembers which were asked for, and refuses
 * the others. Every refusal names the line.
 */
final class Fields {
  private static final String SEVERITIES =
      Arrays.stream(Severity.values())
          .filter(EnumWords::isSpecified)
          .filter(severity -> severity != Severity.SEVERITY_CLEARED)
          .map(EnumWords::wordOf)
          .collect(Collectors.joining(", "));

  private final DocumentText document;
  private final String what;
  private final MappingNode mapping;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final Set<String> known = new HashSet<>();

  private Fields(DocumentText document, String what, MappingNode mapping) {
    this.document = document;
    this.what = what;
    this.mapping = mapping;
    for (NodeTuple tuple : mapping.getValue()) {
      String key = scalar(tuple.getKeyNode(), "a key");
      if (values.put(key, tuple.getValueNode()) != null) {
        throw refusal(document, tuple.getKeyNode(), what + " has '" + key + "' twice");
      }
    }
  }

  /** The fields of a node that must be a mapping. */
  static Fields of(DocumentText document, String what, Node node) {
    if (!(node instanceof MappingNode mapping)) {
      throw refusal(document, node, what + " must be a mapping of keys to values");
    }
    return new Fields(document, what, mapping);
  }

  /** Keys in their order. */
  List<String> keys() {
    return List.copyOf(values.keySet());
  }

  /** Keys that may stand there though nobody asks for them. */
  void allow(String... keys) {
    known.addAll(List.of(keys));
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  String required(String key) {
    return text(key).orElseThrow(() -> missing(key));
  }

  Optional<String> text(String key) {
    return value(key).map(node -> scalar(node, "'" + key + "'"));
  }

  /** One text or a list of texts. */
  List<String> texts(String key) {
    Node node = value(key).orElse(null);
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue().stream()
          .map(each -> scalar(each, "each of '" + key + "'"))
          .toList();
    }
    return node == null ? List.of() : List.of(scalar(node, "'" + key + "'"));
  }

  /** A mapping of texts to texts, in order. */
  Map<String, String> textMap(String key) {
    Map<String, String> texts = new LinkedHashMap<>();
    map(key)
        .ifPresent(
            fields ->
                fields.values.forEach((name, node) -> texts.put(name, fields.required(name))));
    return texts;
  }

  Optional<Fields> map(String key) {
    return value(key).map(node -> of(document, "'" + key + "'", node));
  }

  List<Fields> maps(String key) {
    Node node = value(key).orElse(null);
    if (node == null) {
      return List.of();
    }
    if (!(node instanceof SequenceNode sequence)) {
      throw refusal(document, node, "'" + key + "' must be a list");
    }
    List<Fields> maps = new ArrayList<>();
    for (Node each : sequence.getValue()) {
      maps.add(of(document, "each of '" + key + "'", each));
    }
    return maps;
  }

  /** A number; what YAML writes for infinity is none. */
  OptionalDouble number(String key) {
    Optional<String> text = text(key);
    if (text.isEmpty()) {
      return OptionalDouble.empty();
    }
    try {
      double number = Double.parseDouble(text.get());
      if (Double.isFinite(number)) {
        return OptionalDouble.of(number);
      }
    } catch (NumberFormatException e) {
      // Said below, with the line.
    }
    throw refusal(key, "'" + key + "' is '" + text.get() + "': give a number");
  }

  int wholeNumber(String key, int otherwise, int least, int most) {
    double number = number(key).orElse(otherwise);
    if (number != Math.rint(number) || number < least || number > most) {
      throw refusal(
          key,
          "'"
              + key
              + "' is "
              + required(key)
              + ": give a whole number from "
              + least
              + " to "
              + most);
    }
    return (int) number;
  }

  /** True or false. */
  boolean flag(String key, boolean otherwise) {
    String word = text(key).orElse(Boolean.toString(otherwise));
    if (!word.equals("true") && !word.equals("false")) {
      throw refusal(key, "'" + key + "' is '" + word + "': give true or false");
    }
    return word.equals("true");
  }

  /** {@code 90s}, {@code 15m}, {@code 24h}, {@code 7d}, or {@code never} for 0. */
  int seconds(String key, int otherwise) {
    Optional<String> text = text(key);
    return text.isEmpty() ? otherwise : seconds(key, text.get());
  }

  private int seconds(String key, String text) {
    if (text.equals("never")) {
      return 0;
    }
    String digits = text.isEmpty() ? "" : text.substring(0, text.length() - 1);
    boolean isNumber =
        !digits.isEmpty()
            && digits.length() <= 6
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    int unit =
        switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
          case 's' -> 1;
          case 'm' -> 60;
          case 'h' -> 3_600;
          case 'd' -> 86_400;
          default -> 0;
        };
    long seconds = isNumber ? Long.parseLong(digits) * unit : 0;
    if (seconds < 1 || seconds > Integer.MAX_VALUE) {
      throw refusal(
          key, "'" + key + "' is '" + text + "': give for example 90s, 15m, 24h, 7d, or never");
    }
    return (int) seconds;
  }

  Severity severity(String key) {
    return severityOf(key, required(key));
  }

  /** The severity that a word of a key's value is. */
  Severity severityOf(String key, String word) {
    for (Severity severity : Severity.values()) {
      if (EnumWords.isSpecified(severity)
          && severity != Severity.SEVERITY_CLEARED
          && EnumWords.wordOf(severity).equals(word)) {
        return severity;
      }
    }
    throw refusal(key, "'" + key + "' is '" + word + "': give one of " + SEVERITIES);
  }

  Optional<Template> template(String key) {
    return text(key)
        .map(
            text -> {
              try {
                return Template.of(text);
              } catch (IllegalArgumentException e) {
                throw refusal(key, "'" + key + "': " + e.getMessage());
              }
            });
  }

  /** Whether a value is a mapping, to tell two forms of one key apart. */
  boolean isMap(String key) {
    return values.get(key) instanceof MappingNode;
  }

  /** A node as JSON. */
  String json(String key) {
    return JsonText.of(value(key).orElseThrow(() -> missing(key)));
  }

  /** Refuses what nobody asked for. */
  void refuseOthers() {
    for (NodeTuple tuple : mapping.getValue()) {
      String key = ((ScalarNode) tuple.getKeyNode()).getValue();
      if (!known.contains(key)) {
        String others =
            known.stream().sorted().filter(each -> !has(each)).collect(Collectors.joining(", "));
        throw refusal(
            document,
            tuple.getKeyNode(),
            what
                + " has no key '"
                + key
                + "'"
                + (others.isEmpty() ? "" : "; it may also have " + others));
      }
    }
  }

  DocumentException missing(String key) {
    return refusal(document, mapping, what + " needs '" + key + "'");
  }

  /** A refusal at a key's value, or at the mapping where it has none. */
  DocumentException refusal(String key, String reason) {
    return refusal(document, values.getOrDefault(key, mapping), reason);
  }

  /** File of the document. */
  String file() {
    return document.file();
  }

  /** Line of the mapping, counted from 1. */
  int line() {
    return lineOf(document, mapping);
  }

  private Optional<Node> value(String key) {
    known.add(key);
    return Optional.ofNullable(values.get(key));
  }

  private String scalar(Node node, String name) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw refusal(document, node, name + " must be a text or a number");
  }

  private static DocumentException refusal(DocumentText document, Node node, String reason) {
    return new DocumentException(document.file(), lineOf(document, node), reason);
  }

  private static int lineOf(DocumentText document, Node node) {
    return document.firstLine() + node.getStartMark().map(Mark::getLine).orElse(0);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s at %s:%d", what, document.file(), line());
  }
}
