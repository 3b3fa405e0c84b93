package io.tocsin.rules.match;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.document.Clause;
import io.tocsin.rules.document.Rule;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Makes a signal of a clause and the fields that its match has read. */
final class SignalMaker {
  private static final String SITE = "site";
  private static final String ROLE = "role";

  /** What an alert has beside its labels. */
  private static final Set<String> ALERT_S_OWN = Set.of("device", SITE);

  /** What may rightly be empty: no site or role is configured, a gauge is a scalar. */
  private static final Set<String> MAY_BE_EMPTY = Set.of(SITE, ROLE, "instance");

  private SignalMaker() {}

  static Map<String, String> commonFields(Event event) {
    Map<String, String> fields = new HashMap<>();
    fields.put("device", event.getDevice());
    fields.put(SITE, event.getSite());
    fields.put(ROLE, event.getRole());
    return fields;
  }

  /**
   * The signal; null where a field of the fingerprint is empty, because it would speak of another
   * alert. A site, a role or an instance that is empty is left out. The role is a label too: what
   * holds alerts back or routes them can ask for it.
   */
  static Signal signal(
      CompiledClause clause, Signal.Kind kind, Event event, Map<String, String> fields) {
    Rule rule = clause.rule();
    Signal.Builder signal =
        Signal.newBuilder()
            .putFingerprintFields("source", rule.name())
            .putFingerprintFields("check", rule.check());
    for (String name : rule.fingerprint()) {
      String value = fields.getOrDefault(name, "");
      if (!value.isEmpty()) {
        signal.putFingerprintFields(name, value);
        if (!ALERT_S_OWN.contains(name)) {
          signal.putLabels(name, value);
        }
      } else if (!MAY_BE_EMPTY.contains(name)) {
        return null;
      }
    }
    if (!event.getRole().isEmpty()) {
      signal.putLabels(ROLE, event.getRole());
    }
    rule.labels().forEach((name, template) -> signal.putLabels(name, template.render(fields)));
    if (!rule.team().isEmpty()) {
      signal.putLabels("team", rule.team());
    }
    if (rule.pushedAtUnixNanos() != 0) {
      signal.setRulePushedAtUnixNanos(rule.pushedAtUnixNanos());
    }
    return signal
        .setKind(kind)
        .setSeverity(severity(clause.clause(), kind, fields))
        .setSource(rule.name())
        .setDevice(event.getDevice())
        .setCheck(rule.check())
        .setSummary(clause.clause().summary().render(fields))
        .setSite(event.getSite())
        .setEventTimeUnixNanos(event.getEventTimeUnixNanos())
        .setReceivedAtUnixNanos(event.getReceivedAtUnixNanos())
        .setEventId(event.getEventId())
        .setExpiresAfterSeconds(rule.expiresAfterSeconds())
        .setRule(rule.name())
        .setRunbook(rule.runbook())
        .build();
  }

  private static Severity severity(Clause clause, Signal.Kind kind, Map<String, String> fields) {
    return kind == Signal.Kind.KIND_CLEAR
        ? Severity.SEVERITY_CLEARED
        : clause.severity().of(fields);
  }

  /** Key of a figure's state within its device: rule, clause and what identifies the alert. */
  static String stateKey(CompiledClause clause, Map<String, String> fields) {
    StringBuilder key = new StringBuilder(clause.rule().name()).append('#').append(clause.number());
    for (String name : clause.rule().fingerprint()) {
      String value = fields.getOrDefault(name, "");
      key.append('\n').append(value.length()).append(':').append(value);
    }
    return key.toString();
  }
}
