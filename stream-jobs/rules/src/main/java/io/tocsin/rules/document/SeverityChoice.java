package io.tocsin.rules.document;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.text.Glob;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A fixed severity, or one that fields choose.
 *
 * @param cases tried in this order; the first that fits decides
 * @param otherwise the fixed severity, or that of what fits no case
 */
public record SeverityChoice(List<Case> cases, Severity otherwise) {
  /**
   * What is as bad as this.
   *
   * @param fields names of fields, each of which must be there and have one of the values
   * @param severity how bad it is then
   */
  public record Case(Map<String, List<Glob>> fields, Severity severity) {
    private boolean fits(Map<String, String> values) {
      return fields.entrySet().stream()
          .allMatch(
              field -> {
                String value = values.get(field.getKey());
                return value != null
                    && field.getValue().stream().anyMatch(glob -> glob.matches(value));
              });
    }
  }

  static SeverityChoice fixed(Severity severity) {
    return new SeverityChoice(List.of(), severity);
  }

  /** Fields that are looked at. */
  Set<String> fields() {
    Set<String> fields = new TreeSet<>();
    cases.forEach(each -> fields.addAll(each.fields.keySet()));
    return fields;
  }

  /** The severity for an event's fields. */
  public Severity of(Map<String, String> fields) {
    return cases.stream()
        .filter(each -> each.fits(fields))
        .map(Case::severity)
        .findFirst()
        .orElse(otherwise);
  }
}
