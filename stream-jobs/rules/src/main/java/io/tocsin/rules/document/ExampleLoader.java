package io.tocsin.rules.document;

import java.util.List;
import java.util.Map;

/** Reads the examples of a rule. */
final class ExampleLoader {
  private ExampleLoader() {}

  static Example load(Fields fields, List<String> fingerprint) {
    if (fields.has("syslog") == fields.has("event")) {
      throw fields.refusal("syslog", "an example needs either 'syslog' or 'event'");
    }
    Example example =
        new Example(
            fields.line(),
            fields.text("syslog").orElse(""),
            fields.has("event") ? fields.json("event") : "",
            expected(fields, fingerprint));
    fields.refuseOthers();
    return example;
  }

  /** {@code raise} or {@code clear} with the fingerprint; neither where nothing must come. */
  private static Example.Expected expected(Fields fields, List<String> fingerprint) {
    String severity = fields.text("severity").orElse("");
    String summary = fields.text("summary").orElse("");
    Map<String, String> raised = fields.textMap("raise");
    Map<String, String> cleared = fields.textMap("clear");
    if (fields.has("raise") && fields.has("clear")) {
      throw fields.refusal("clear", "an example expects one signal: 'raise' or 'clear'");
    }
    if (!fields.has("raise") && !fields.has("clear")) {
      if (!severity.isEmpty() || !summary.isEmpty()) {
        throw fields.missing("raise");
      }
      return null;
    }
    String kind = fields.has("raise") ? "raise" : "clear";
    for (String name : (fields.has("raise") ? raised : cleared).keySet()) {
      if (!fingerprint.contains(name)) {
        throw fields.refusal(
            kind, "'" + kind + "' has '" + name + "', which is no field of the fingerprint");
      }
    }
    return new Example.Expected(kind, fields.has("raise") ? raised : cleared, severity, summary);
  }
}
