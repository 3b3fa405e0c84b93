package io.tocsin.rules.document;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One tree for each thing of an inventory. Rows that fill the fields of the name alike make one
 * tree; where a gate has {@code each}, every row of them makes a child.
 */
public final class TreeTemplate {
  /** The kind of these documents. */
  public static final String KIND = "tree-template";

  private static final String EACH = "each";
  private static final int MAX_ROWS = 100_000;

  private final DocumentText text;
  private final MappingNode root;
  private final Fields fields;

  private TreeTemplate(DocumentText text) {
    this.text = text;
    this.root = (MappingNode) DocumentLoader.nodeOf(text);
    this.fields = Fields.of(text, "a tree template", root);
  }

  /**
   * The trees of a template.
   *
   * @param inventories the text of a file that stands beside the template's
   * @throws DocumentException at the first thing that is wrong
   */
  public static List<DocumentText> expand(
      DocumentText text, Function<String, DocumentText> inventories) {
    TreeTemplate template = new TreeTemplate(text);
    Template name =
        template.fields.template("name").orElseThrow(() -> template.fields.missing("name"));
    if (name.fields().isEmpty()) {
      throw template.fields.refusal(
          "name", "'name' has no field: give one in braces, and each value of it makes a tree");
    }
    Map<String, List<Map<String, String>>> rowsByName = new LinkedHashMap<>();
    for (Map<String, String> row : template.rows(inventories)) {
      template.requireKnown("name", name, row);
      rowsByName.computeIfAbsent(name.render(row), key -> new ArrayList<>()).add(row);
    }
    List<DocumentText> trees = new ArrayList<>();
    rowsByName.forEach((tree, rows) -> trees.add(template.tree(tree, rows)));
    return trees;
  }

  private List<Map<String, String>> rows(Function<String, DocumentText> inventories) {
    if (fields.has("rows") == fields.has("inventory")) {
      throw fields.refusal("name", "a tree template needs either 'inventory' or 'rows'");
    }
    List<Map<String, String>> rows = new ArrayList<>();
    if (fields.has("rows")) {
      for (Fields row : fields.maps("rows")) {
        Map<String, String> values = new TreeMap<>();
        row.keys().forEach(key -> values.put(key, row.required(key)));
        rows.add(values);
      }
    } else {
      rows = csv(inventories.apply(fields.required("inventory")));
    }
    if (rows.isEmpty() || rows.size() > MAX_ROWS) {
      throw fields.refusal(
          fields.has("rows") ? "rows" : "inventory",
          "the inventory has " + rows.size() + " rows: give from 1 to " + MAX_ROWS);
    }
    return rows;
  }

  /** The first line names the columns; no value holds a comma. */
  private static List<Map<String, String>> csv(DocumentText inventory) {
    List<Map<String, String>> rows = new ArrayList<>();
    List<String> columns = List.of();
    int line = 0;
    for (String each : inventory.text().lines().toList()) {
      line++;
      if (each.isBlank() || each.startsWith("#")) {
        continue;
      }
      List<String> values = values(each);
      if (each.indexOf('"') >= 0 || !columns.isEmpty() && values.size() != columns.size()) {
        throw new DocumentException(
            inventory.file(),
            line,
            "give "
                + (columns.isEmpty() ? "names of columns" : columns.size() + " values")
                + " with commas between them and without quotes");
      }
      if (columns.isEmpty()) {
        columns = values;
        continue;
      }
      Map<String, String> row = new TreeMap<>();
      for (int i = 0; i < columns.size(); i++) {
        row.put(columns.get(i), values.get(i));
      }
      rows.add(row);
    }
    return rows;
  }

  private static List<String> values(String line) {
    List<String> values = new ArrayList<>();
    int start = 0;
    for (int comma = line.indexOf(','); comma >= 0; comma = line.indexOf(',', start)) {
      values.add(line.substring(start, comma).strip());
      start = comma + 1;
    }
    values.add(line.substring(start).strip());
    return values;
  }

  /** One key a line, so that a changed tree is told line by line. */
  private DocumentText tree(String name, List<Map<String, String>> rows) {
    StringBuilder tree = new StringBuilder("kind: tree\n");
    for (NodeTuple tuple : root.getValue()) {
      String key = ((ScalarNode) tuple.getKeyNode()).getValue();
      if (!List.of("kind", "inventory", "rows").contains(key)) {
        tree.append(key).append(": ");
        write(tuple.getValueNode(), name, rows, tree);
        tree.append('\n');
      }
    }
    return new DocumentText(text.file(), text.firstLine(), tree.toString());
  }

  private void write(Node node, String tree, List<Map<String, String>> rows, StringBuilder json) {
    if (node instanceof MappingNode mapping && isEach(mapping)) {
      Node each = mapping.getValue().get(0).getValueNode();
      json.append('[');
      for (int i = 0; i < rows.size(); i++) {
        json.append(i == 0 ? "" : ", ");
        write(each, tree, List.of(rows.get(i)), json);
      }
      json.append(']');
    } else if (node instanceof MappingNode mapping) {
      json.append('{');
      for (int i = 0; i < mapping.getValue().size(); i++) {
        NodeTuple tuple = mapping.getValue().get(i);
        json.append(i == 0 ? "" : ", ");
        JsonText.quote(((ScalarNode) tuple.getKeyNode()).getValue(), json);
        json.append(": ");
        write(tuple.getValueNode(), tree, rows, json);
      }
      json.append('}');
    } else if (node instanceof SequenceNode sequence) {
      json.append('[');
      for (int i = 0; i < sequence.getValue().size(); i++) {
        json.append(i == 0 ? "" : ", ");
        write(sequence.getValue().get(i), tree, rows, json);
      }
      json.append(']');
    } else if (node instanceof ScalarNode scalar) {
      JsonText.quote(rendered(scalar, tree, rows), json);
    }
  }

  private static boolean isEach(MappingNode mapping) {
    return mapping.getValue().size() == 1
        && mapping.getValue().get(0).getKeyNode() instanceof ScalarNode key
        && key.getValue().equals(EACH);
  }

  private String rendered(ScalarNode scalar, String tree, List<Map<String, String>> rows) {
    int line = text.firstLine() + scalar.getStartMark().map(mark -> mark.getLine()).orElse(0);
    Template template;
    try {
      template = Template.of(scalar.getValue());
    } catch (IllegalArgumentException e) {
      throw new DocumentException(text.file(), line, e.getMessage());
    }
    for (String field : template.fields()) {
      if (!rows.get(0).containsKey(field)) {
        throw new DocumentException(
            text.file(),
            line,
            "the inventory has no column '" + field + "': it has " + rows.get(0).keySet());
      }
      if (rows.stream().map(row -> row.get(field)).distinct().count() > 1) {
        throw new DocumentException(
            text.file(),
            line,
            "'{" + field + "}' is not the same in all rows of " + tree + ": put it under 'each'");
      }
    }
    return template.render(rows.get(0));
  }

  private void requireKnown(String key, Template template, Map<String, String> row) {
    for (String field : template.fields()) {
      if (!row.containsKey(field)) {
        throw fields.refusal(
            key, "the inventory has no column '" + field + "': it has " + row.keySet());
      }
    }
  }
}
