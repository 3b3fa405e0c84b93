package io.tocsin.rules.document;

import java.util.List;
import java.util.Map;

/**
 * What makes signals of events.
 *
 * @param name name of the rule, the source of its alerts
 * @param check what was checked, the check of its alerts
 * @param fingerprint names of the fields that identify an alert, beside source and check
 * @param labels labels of its alerts, name to template
 * @param team who is told; empty for the route's default
 * @param runbook file of grafana/runbooks without its ending, or a URL; empty for none
 * @param expiresAfterSeconds seconds without a refresh after which an alert expires; 0 for never
 * @param clauses tried in this order; the first that matches an event speaks
 * @param examples events and what must come of them
 * @param pushedAtUnixNanos which version it is: when it was pushed; 0 for one of a file
 */
public record Rule(
    String name,
    String check,
    List<String> fingerprint,
    Map<String, Template> labels,
    String team,
    String runbook,
    int expiresAfterSeconds,
    List<Clause> clauses,
    List<Example> examples,
    long pushedAtUnixNanos)
    implements Document {

  /** The rule as it was pushed. */
  public Rule pushedAt(long unixNanos) {
    return new Rule(
        name,
        check,
        fingerprint,
        labels,
        team,
        runbook,
        expiresAfterSeconds,
        clauses,
        examples,
        unixNanos);
  }
}
