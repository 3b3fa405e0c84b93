package io.tocsin.rules.document;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * What a site changes in a rule or a fault tree: its name, and some of its fields. It is merged
 * into the document's text before a push, so what the topic holds is one like any other.
 */
public final class RuleOverride {
  /** The kind of these documents. */
  public static final String KIND = "override";

  private static final String SEVERITY = "severity";
  private static final String LABELS = "labels";
  private static final List<String> LIMITS =
      List.of("raise_above", "clear_below", "raise_below", "clear_above");
  private static final String CONSECUTIVE = "consecutive";
  private static final String TREE = "tree";
  private static final Set<String> MEASURES = Set.of("counter", "gauge", "probe");

  private final DocumentText text;
  private final Fields fields;
  private final Fields set;
  private final String kind;
  private final String target;
  private final boolean isEnabled;

  private RuleOverride(DocumentText text, Fields fields, Fields set) {
    this.text = text;
    this.fields = fields;
    this.set = set;
    kind = fields.has(TREE) ? TREE : "rule";
    target = fields.required(kind);
    isEnabled = set.flag("enabled", true);
  }

  /**
   * Reads an override.
   *
   * @throws DocumentException at the first thing that is wrong
   */
  public static RuleOverride load(DocumentText text) {
    Fields fields = Fields.of(text, "an override", DocumentLoader.nodeOf(text));
    fields.required("kind");
    fields.allow("description");
    Fields set = fields.map("set").orElseThrow(() -> fields.missing("set"));
    RuleOverride override = new RuleOverride(text, fields, set);
    fields.refuseOthers();
    if (set.keys().isEmpty()) {
      throw fields.refusal("set", "'set' sets nothing");
    }
    set.allow(SEVERITY);
    if (set.has(SEVERITY)) {
      ClauseLoader.severity(set);
    }
    set.text("team");
    set.text("runbook");
    set.map(LABELS).ifPresent(labels -> labels.keys().forEach(labels::template));
    if (override.isOfTree()) {
      set.seconds("hold", 0);
      set.text("redundancy_lost");
      set.text("site");
    } else {
      set.seconds("expires", 0);
      LIMITS.forEach(set::number);
      ClauseLoader.consecutive(set);
    }
    set.refuseOthers();
    return override;
  }

  /** Name of the rule or tree. */
  public String target() {
    return target;
  }

  /** Whether it changes a tree. */
  public boolean isOfTree() {
    return kind.equals(TREE);
  }

  /** False where it is not wanted at all. */
  public boolean isEnabled() {
    return isEnabled;
  }

  /** Fields that are set. */
  public List<String> fieldNames() {
    return set.keys();
  }

  /** File and line. */
  public String origin() {
    return text.origin();
  }

  /** A refusal because of the rule or tree that is named. */
  public DocumentException targetRefusal(String reason) {
    return fields.refusal(kind, reason);
  }

  /** A refusal because of a field that is set. */
  public DocumentException fieldRefusal(String field, String reason) {
    return set.refusal(field, reason);
  }

  /**
   * The document's text with the fields set. Its file names this override too; its lines stay.
   *
   * @throws DocumentException where the document has nothing that could be set so
   */
  public DocumentText applyTo(DocumentText written) {
    MappingNode root = (MappingNode) DocumentLoader.nodeOf(written);
    TextEdits edits = new TextEdits(written.text(), root);
    Map<String, String> limits = new LinkedHashMap<>();
    for (String name : set.keys()) {
      if (LIMITS.contains(name) || name.equals(CONSECUTIVE)) {
        limits.put(name, set.json(name));
      } else if (!name.equals("enabled")) {
        String json = name.equals(LABELS) ? labels(root) : set.json(name);
        valueOf(root, name)
            .ifPresentOrElse(value -> edits.replace(value, json), () -> edits.add(name, json));
      }
    }
    if (set.has(SEVERITY)) {
      // A clause's own severity would win over the rule's.
      for (MappingNode clause : clauses(root)) {
        valueOf(clause, SEVERITY).ifPresent(value -> edits.replace(value, set.json(SEVERITY)));
      }
    }
    if (!limits.isEmpty()) {
      MappingNode measure = onlyMeasure(root, limits.keySet().iterator().next());
      edits.replace(measure, JsonText.withValues(measure, limits));
    }
    return new DocumentText(
        origin() + " sets " + String.join(", ", set.keys()) + " of " + written.file(),
        written.firstLine(),
        edits.apply());
  }

  /** Labels that are not named stay. */
  private String labels(MappingNode root) {
    return valueOf(root, LABELS).orElse(null) instanceof MappingNode labels
        ? JsonText.withValues(labels, jsonOf(set.map(LABELS).orElseThrow()))
        : set.json(LABELS);
  }

  private static Map<String, String> jsonOf(Fields values) {
    Map<String, String> json = new LinkedHashMap<>();
    values.keys().forEach(key -> json.put(key, values.json(key)));
    return json;
  }

  private MappingNode onlyMeasure(MappingNode root, String field) {
    List<MappingNode> measures =
        clauses(root).stream()
            .flatMap(clause -> MEASURES.stream().flatMap(name -> valueOf(clause, name).stream()))
            .filter(MappingNode.class::isInstance)
            .map(MappingNode.class::cast)
            .toList();
    if (measures.size() != 1) {
      throw fieldRefusal(
          field,
          "'"
              + field
              + "' changes the one threshold of a rule, and '"
              + target
              + "' has "
              + (measures.isEmpty() ? "none" : measures.size()));
    }
    return measures.get(0);
  }

  private static List<MappingNode> clauses(MappingNode root) {
    return valueOf(root, "clauses").orElse(null) instanceof SequenceNode clauses
        ? clauses.getValue().stream()
            .filter(MappingNode.class::isInstance)
            .map(MappingNode.class::cast)
            .toList()
        : List.of();
  }

  private static Optional<Node> valueOf(MappingNode mapping, String key) {
    return mapping.getValue().stream()
        .filter(
            tuple -> tuple.getKeyNode() instanceof ScalarNode name && name.getValue().equals(key))
        .map(NodeTuple::getValueNode)
        .findFirst();
  }
}
