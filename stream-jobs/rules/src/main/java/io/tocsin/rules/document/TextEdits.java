package io.tocsin.rules.document;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Changes of values in the text of a YAML mapping. What is not changed keeps its line, so that what
 * is said about the changed text still points to the right line of the file.
 */
final class TextEdits {
  private record Edit(int start, int end, String replacement) {}

  private final String text;
  private final MappingNode root;
  private final PriorityQueue<Edit> edits =
      new PriorityQueue<>(Comparator.comparingInt(Edit::start));
  private final StringBuilder appended = new StringBuilder();

  /**
   * No change so far.
   *
   * @param root the mapping that the text is
   */
  TextEdits(String text, MappingNode root) {
    this.text = text;
    this.root = root;
  }

  /** Puts JSON where a value stands, and empty lines where it had more lines. */
  void replace(Node value, String json) {
    int start = indexOf(value.getStartMark().orElseThrow());
    int end = indexOf(value.getEndMark().orElseThrow());
    while (end > start && Character.isWhitespace(text.charAt(end - 1))) {
      end--;
    }
    long lineBreaks = text.substring(start, end).chars().filter(c -> c == '\n').count();
    edits.add(new Edit(start, end, json + "\n".repeat((int) lineBreaks)));
  }

  /** Adds a key that the mapping does not have. */
  void add(String key, String json) {
    Mark mark = root.getStartMark().orElseThrow();
    if (root.getFlowStyle() == FlowStyle.FLOW) {
      int inside = indexOf(mark) + 1;
      edits.add(new Edit(inside, inside, "\"" + key + "\": " + json + ", "));
    } else {
      appended.append(" ".repeat(mark.getColumn())).append(key).append(": ").append(json);
      appended.append('\n');
    }
  }

  /** The text with all changes. */
  String apply() {
    StringBuilder changed = new StringBuilder();
    int at = 0;
    for (Edit edit = edits.poll(); edit != null; edit = edits.poll()) {
      changed.append(text, at, edit.start).append(edit.replacement);
      at = edit.end;
    }
    return changed.append(text, at, text.length()).append(appended).toString();
  }

  /** Marks count code points. */
  private int indexOf(Mark mark) {
    return text.offsetByCodePoints(0, mark.getIndex());
  }
}
