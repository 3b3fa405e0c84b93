package io.tocsin.rules.document;

import io.tocsin.alerts.v1.Severity;
import java.util.Map;

/**
 * A fixed severity, or one that a field's words choose.
 *
 * @param field field to look at; empty for a fixed severity
 * @param byWord the field's words and what they mean
 * @param otherwise the fixed severity, or that of other words
 */
public record SeverityChoice(String field, Map<String, Severity> byWord, Severity otherwise) {
  static SeverityChoice fixed(Severity severity) {
    return new SeverityChoice("", Map.of(), severity);
  }

  /** The severity for an event's fields. */
  public Severity of(Map<String, String> fields) {
    return field.isEmpty()
        ? otherwise
        : byWord.getOrDefault(fields.getOrDefault(field, ""), otherwise);
  }
}
