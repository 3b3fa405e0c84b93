package io.tocsin.rules;

import io.tocsin.correlation.alerts.Policy;
import io.tocsin.rules.document.Document;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.document.PolicyDocument;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.match.RuleSet;
import io.tocsin.rules.v1.RuleDocument;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The documents in force, by name. A document that cannot be understood changes nothing: the one
 * that it would have replaced stays.
 */
public final class RuleBook {
  private final Map<String, Document> documents = new TreeMap<>();
  private RuleSet rules = RuleSet.of(List.of());
  private boolean isChanged;

  /**
   * Reads a document as the topic has it.
   *
   * @throws DocumentException where this build does not understand it
   */
  public static Document read(RuleDocument record) {
    DocumentText text = DocumentText.of(record.getOrigin(), record.getYaml());
    Document document = DocumentLoader.load(text);
    if (!document.name().equals(record.getName())) {
      throw new DocumentException(
          text.file(),
          text.firstLine(),
          "the document '" + document.name() + "' came under the name '" + record.getName() + "'");
    }
    return document instanceof Rule rule ? rule.pushedAt(record.getPushedAtUnixNanos()) : document;
  }

  /**
   * Puts a document in force.
   *
   * @throws DocumentException where this build does not understand it; nothing has changed then
   */
  public void put(RuleDocument record) {
    documents.put(record.getName(), read(record));
    isChanged = true;
  }

  /** Takes a document out of force; one that is not there is none the worse. */
  public void remove(String name) {
    isChanged |= documents.remove(name) != null;
  }

  /** The rules in force, ready to match. */
  public RuleSet rules() {
    if (isChanged) {
      rules =
          RuleSet.of(
              documents.values().stream()
                  .filter(Rule.class::isInstance)
                  .map(Rule.class::cast)
                  .toList());
      isChanged = false;
    }
    return rules;
  }

  /**
   * The maintenance window, dependency or fault tree of a document as the topic has it; nothing for
   * a rule.
   *
   * @throws DocumentException where this build does not understand it
   */
  public static Optional<Policy> policy(RuleDocument record) {
    return read(record) instanceof PolicyDocument document
        ? Optional.of(document.policy())
        : Optional.empty();
  }

  /** How many documents are in force. */
  public int size() {
    return documents.size();
  }
}
