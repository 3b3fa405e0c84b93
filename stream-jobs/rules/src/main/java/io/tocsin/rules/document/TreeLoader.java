package io.tocsin.rules.document;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.FaultTree;
import io.tocsin.correlation.alerts.TreeNode;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import io.tocsin.correlation.alerts.TreeNode.TreeGate;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads fault trees: gates, alerts and other trees. */
public final class TreeLoader {
  private static final List<String> FORMS = List.of("alert", "tree", "any", "all", "of");
  private static final String NEVER = "never";

  private TreeLoader() {}

  static PolicyDocument load(String name, Fields fields) {
    Fields top = fields.map("top").orElseThrow(() -> fields.missing("top"));
    TreeNode root = node(top);
    fields.allow("severity");
    Map<String, String> labels = new HashMap<>(fields.textMap("labels"));
    fields.text("team").ifPresent(team -> labels.put("team", team));
    Severity severity =
        fields.has("severity") ? fields.severity("severity") : Severity.SEVERITY_CRITICAL;
    String description = fields.text("description").orElse("");
    try {
      FaultTree tree =
          new FaultTree(
              name,
              root,
              fields.seconds("hold", 0) * Nanos.PER_SECOND,
              severity,
              redundancySeverity(fields),
              fields.text("site").orElse(""),
              labels,
              fields.text("runbook").orElse(""));
      fields.refuseOthers();
      return new PolicyDocument(tree, description);
    } catch (DocumentException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw fields.refusal("top", e.getMessage());
    }
  }

  private static Severity redundancySeverity(Fields fields) {
    String word = fields.text("redundancy_lost").orElse("minor");
    if (word.equals(NEVER)) {
      return Severity.SEVERITY_UNSPECIFIED;
    }
    return fields.has("redundancy_lost")
        ? fields.severity("redundancy_lost")
        : Severity.SEVERITY_MINOR;
  }

  private static TreeNode node(Fields fields) {
    List<String> forms = FORMS.stream().filter(fields::has).toList();
    if (forms.size() != 1) {
      throw new DocumentException(
          fields.file(),
          fields.line(),
          (forms.isEmpty()
                  ? "nothing says what is down here"
                  : "this is both " + String.join(" and ", forms))
              + ": give one of "
              + String.join(", ", FORMS));
    }
    String form = forms.get(0);
    TreeNode node =
        switch (form) {
          case "alert" -> alert(fields);
          case "tree" -> new TreeLeaf(fields.required("tree"));
          default -> gate(fields, form);
        };
    fields.refuseOthers();
    return node;
  }

  private static TreeNode alert(Fields fields) {
    Set<Severity> severities = new HashSet<>();
    for (String word : fields.texts("severity")) {
      severities.add(fields.severityOf("severity", word));
    }
    return new AlertLeaf(
        fields.text("name").orElse(""),
        DocumentLoader.alerts(fields.map("alert").orElseThrow()),
        severities);
  }

  private static TreeNode gate(Fields fields, String form) {
    List<TreeNode> children = new ArrayList<>();
    for (Fields each : fields.maps(form)) {
      TreeNode child = node(each);
      if (children.contains(child)) {
        throw new DocumentException(
            each.file(), each.line(), "this stands in the gate already: one failure counts once");
      }
      children.add(child);
    }
    if (children.isEmpty()) {
      throw fields.refusal(form, "'" + form + "' names nothing, and could never be true");
    }
    return new TreeGate(
        atLeast(fields, form, children.size()),
        children,
        fields.seconds("hold", 0) * Nanos.PER_SECOND);
  }

  private static int atLeast(Fields fields, String form, int children) {
    if (!form.equals("of")) {
      return form.equals("any") ? 1 : children;
    }
    if (fields.has("at_least") == fields.has("more_than")) {
      throw fields.refusal("of", "'of' needs either 'at_least' or 'more_than'");
    }
    boolean isLeast = fields.has("at_least");
    String key = isLeast ? "at_least" : "more_than";
    int wanted =
        fields.wholeNumber(key, 0, isLeast ? 1 : 0, FaultTree.MAX_LEAVES) + (isLeast ? 0 : 1);
    if (wanted > children) {
      throw fields.refusal(
          key, "the gate wants " + wanted + " of " + children + ", and could never be true");
    }
    return wanted;
  }

  /**
   * The line that names another tree.
   *
   * @param tree that is named somewhere in the text
   */
  public static int lineOf(DocumentText text, String tree) {
    Node named = reference(DocumentLoader.nodeOf(text), tree);
    return text.firstLine()
        + (named == null ? 0 : named.getStartMark().map(mark -> mark.getLine()).orElse(0));
  }

  private static Node reference(Node node, String tree) {
    Node found = null;
    if (node instanceof SequenceNode sequence) {
      for (Node each : sequence.getValue()) {
        found = found == null ? reference(each, tree) : found;
      }
    } else if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        boolean isIt =
            tuple.getKeyNode() instanceof ScalarNode key
                && key.getValue().equals("tree")
                && tuple.getValueNode() instanceof ScalarNode value
                && value.getValue().equals(tree);
        if (found == null) {
          found = isIt ? tuple.getValueNode() : reference(tuple.getValueNode(), tree);
        }
      }
    }
    return found;
  }
}
