package io.tocsin.rules.document;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** A YAML node as JSON text. */
final class JsonText {
  private static final Set<Tag> BARE = Set.of(Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL);

  private JsonText() {}

  static void write(Node node, StringBuilder json) {
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

  private static void quote(String text, StringBuilder json) {
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
