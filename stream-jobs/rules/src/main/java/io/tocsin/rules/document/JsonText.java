package io.tocsin.rules.document;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** YAML nodes as JSON text, which is YAML too. */
final class JsonText {
  private static final Set<Tag> BARE = Set.of(Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL);

  private JsonText() {}

  static String of(Node node) {
    StringBuilder json = new StringBuilder();
    write(node, json);
    return json.toString();
  }

  /**
   * A mapping with some of its values replaced, and others added at its end.
   *
   * @param values JSON by key
   */
  static String withValues(MappingNode mapping, Map<String, String> values) {
    Map<String, String> merged = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      merged.put(((ScalarNode) tuple.getKeyNode()).getValue(), of(tuple.getValueNode()));
    }
    merged.putAll(values);
    StringBuilder json = new StringBuilder("{");
    merged.forEach(
        (key, value) -> {
          json.append(json.length() == 1 ? "" : ", ");
          quote(key, json);
          json.append(": ").append(value);
        });
    return json.append('}').toString();
  }

  private static void write(Node node, StringBuilder json) {
    if (node instanceof MappingNode mapping) {
      json.append('{');
      List<NodeTuple> tuples = mapping.getValue();
      for (int i = 0; i < tuples.size(); i++) {
        json.append(i == 0 ? "" : ",");
        quote(((ScalarNode) tuples.get(i).getKeyNode()).getValue(), json);
        json.append(':');
        write(tuples.get(i).getValueNode(), json);
      }
      json.append('}');
    } else if (node instanceof SequenceNode sequence) {
      json.append('[');
      for (int i = 0; i < sequence.getValue().size(); i++) {
        json.append(i == 0 ? "" : ",");
        write(sequence.getValue().get(i), json);
      }
      json.append(']');
    } else if (node instanceof ScalarNode scalar) {
      if (BARE.contains(scalar.getTag())) {
        json.append(scalar.getValue());
      } else {
        quote(scalar.getValue(), json);
      }
    }
  }

  /** A text in quotes. */
  static void quote(String text, StringBuilder json) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
