package io.tocsin.rules.document;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.AlertMatcher;
import io.tocsin.correlation.alerts.Dependency;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.calendar.Occurrences;
import io.tocsin.rules.match.EventMatch;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads documents. What it does not know it refuses, with the line.
 *
 * <p>Own code, because a validator by rules.schema.json would not replace it: of the 56 mistakes in
 * refused.txt networknt's 1.5.9 finds 26, each as 5 to 27 messages, and an unknown key by the line
 * of its mapping.
 */
public final class DocumentLoader {
  /** The kind of a maintenance window. */
  public static final String MAINTENANCE = "maintenance";

  private static final String NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_./";

  private DocumentLoader() {}

  /**
   * Reads one document.
   *
   * @throws DocumentException at the first thing that is wrong
   */
  public static Document load(DocumentText text) {
    Fields fields = Fields.of(text, "a document", nodeOf(text));
    String kind = fields.required("kind");
    return switch (kind) {
      case "rule" -> rule(fields);
      case MAINTENANCE -> maintenance(fields);
      case "dependency" -> dependency(fields);
      case "tree" -> TreeLoader.load(name(fields), fields);
      default ->
          throw fields.refusal(
              "kind",
              "'kind' is '"
                  + kind
                  + "': give rule, override, maintenance, dependency, tree or tree-template");
    };
  }

  /**
   * What a document says that it is, known or not.
   *
   * @throws DocumentException where it does not say so
   */
  public static String kindOf(DocumentText text) {
    return Fields.of(text, "a document", nodeOf(text)).required("kind");
  }

  static Node nodeOf(DocumentText text) {
    try {
      Iterator<Node> nodes =
          new Compose(LoadSettings.builder().setLabel(text.file()).build())
              .composeAllFromString(text.text())
              .iterator();
      if (!nodes.hasNext()) {
        throw new DocumentException(text.file(), text.firstLine(), "the document is empty");
      }
      Node node = nodes.next();
      refuseAliases(text, node, new IdentityHashMap<>());
      return node;
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(mark -> mark.getLine()).orElse(0);
      throw new DocumentException(
          text.file(), text.firstLine() + line, "this is no YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new DocumentException(
          text.file(), text.firstLine(), "this is no YAML: " + e.getMessage());
    }
  }

  /** An alias can make a short text endless, and hides what a rule says. */
  private static void refuseAliases(
      DocumentText text, Node node, IdentityHashMap<Node, Boolean> seen) {
    if (seen.put(node, true) != null) {
      int line = node.getStartMark().map(mark -> mark.getLine()).orElse(0);
      throw new DocumentException(
          text.file(), text.firstLine() + line, "an alias points here: write it out instead");
    }
    if (node instanceof SequenceNode sequence) {
      sequence.getValue().forEach(each -> refuseAliases(text, each, seen));
    } else if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        refuseAliases(text, tuple.getKeyNode(), seen);
        refuseAliases(text, tuple.getValueNode(), seen);
      }
    }
  }

  private static String name(Fields fields) {
    String name = fields.required("name");
    boolean isUsable =
        !name.isEmpty()
            && name.length() <= 100
            && name.chars().allMatch(c -> NAME_CHARACTERS.indexOf(c) >= 0);
    if (!isUsable) {
      throw fields.refusal(
          "name",
          "'name' is '" + name + "': give up to 100 lower-case letters, digits and any of -_./");
    }
    return name;
  }

  private static Rule rule(Fields fields) {
    String name = name(fields);
    // Read by people alone, or by the clauses that have none of their own.
    fields.allow("description", "severity", "summary");
    List<String> fingerprint = fields.texts("fingerprint");
    if (fingerprint.isEmpty()) {
      throw fields.missing("fingerprint");
    }
    ClauseLoader loader = new ClauseLoader(fields);
    List<Clause> clauses = new ArrayList<>();
    Set<String> read = new TreeSet<>();
    List<Fields> written = fields.maps("clauses");
    for (Fields each : written) {
      Clause clause = loader.load(each);
      requireFields(each, clause, fingerprint);
      clauses.add(clause);
      read.addAll(available(clause));
    }
    for (int i = 0; i < clauses.size(); i++) {
      ClauseLoader.requireSeverityFields(written.get(i), clauses.get(i), read);
    }
    if (clauses.stream().noneMatch(clause -> clause.kind() != Signal.Kind.KIND_CLEAR)) {
      throw fields.refusal("clauses", "'clauses' needs one that raises");
    }
    Rule rule =
        new Rule(
            name,
            fields.text("check").orElse(name),
            fingerprint,
            labels(fields, clauses),
            fields.text("team").orElse(""),
            fields.text("runbook").orElse(""),
            fields.seconds("expires", ClauseLoader.DEFAULT_EXPIRES_SECONDS),
            clauses,
            fields.maps("examples").stream()
                .map(each -> ExampleLoader.load(each, fingerprint))
                .toList(),
            0);
    fields.refuseOthers();
    return rule;
  }

  /** A clause that cannot fill a field of the fingerprint could never speak of the rule's alert. */
  private static void requireFields(Fields fields, Clause clause, List<String> fingerprint) {
    Set<String> available = available(clause);
    for (String name : fingerprint) {
      if (!available.contains(name)) {
        throw new DocumentException(
            fields.file(),
            fields.line(),
            "the clause reads no '"
                + name
                + "', which the fingerprint needs: it has "
                + String.join(", ", available));
      }
    }
  }

  private static Map<String, Template> labels(Fields fields, List<Clause> clauses) {
    Map<String, Template> labels = new LinkedHashMap<>();
    Fields map = fields.map("labels").orElse(null);
    if (map == null) {
      return labels;
    }
    for (String name : fields.textMap("labels").keySet()) {
      Template template = map.template(name).orElseThrow();
      clauses.forEach(clause -> ClauseLoader.requireKnown(map, name, template, available(clause)));
      labels.put(name, template);
    }
    return labels;
  }

  static Set<String> available(Clause clause) {
    Set<String> available = new TreeSet<>(EventMatch.COMMON_FIELDS);
    available.addAll(clause.match().fields());
    return available;
  }

  private static PolicyDocument maintenance(Fields fields) {
    String name = name(fields);
    AlertMatcher alerts = alerts(fields.map("alerts").orElseThrow(() -> fields.missing("alerts")));
    Occurrences occurrences = OccurrencesLoader.load(fields);
    String description = fields.text("description").orElse("");
    fields.refuseOthers();
    return new PolicyDocument(new MaintenanceWindow(name, alerts, occurrences), description);
  }

  private static PolicyDocument dependency(Fields fields) {
    String name = name(fields);
    AlertMatcher alerts = alerts(fields.map("alerts").orElseThrow(() -> fields.missing("alerts")));
    List<AlertMatcher> upstreams =
        fields.maps("upstreams").stream().map(DocumentLoader::alerts).toList();
    if (upstreams.isEmpty()) {
      throw fields.missing("upstreams");
    }
    String description = fields.text("description").orElse("");
    fields.refuseOthers();
    return new PolicyDocument(new Dependency(name, alerts, upstreams), description);
  }

  /**
   * Which alerts are meant: field to one value or several; {@link AlertMatcher} knows the fields.
   */
  static AlertMatcher alerts(Fields fields) {
    Map<String, List<String>> meant = new LinkedHashMap<>();
    fields.keys().forEach(name -> meant.put(name, fields.texts(name)));
    try {
      return new AlertMatcher(meant);
    } catch (IllegalArgumentException e) {
      throw new DocumentException(fields.file(), fields.line(), e.getMessage());
    }
  }
}
