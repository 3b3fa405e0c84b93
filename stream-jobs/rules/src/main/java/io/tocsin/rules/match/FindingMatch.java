package io.tocsin.rules.match;

import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Findings of other jobs, and alert updates of monitors. They are alerts already; a rule makes
 * another one of them, for example one that pages another team.
 *
 * @param sources one of them must be the source; empty for all
 * @param checks one of them must be the check; empty for all
 * @param action what the update must say
 * @param summary must be found in its summary
 * @param labels labels that it must have; each is a field
 */
public record FindingMatch(
    Set<String> sources,
    Set<String> checks,
    AlertUpdate.Action action,
    TextPattern summary,
    List<String> labels)
    implements MessageMatch {
  private static final Set<String> OWN_FIELDS =
      Set.of("finding_source", "finding_check", "finding_summary");

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    fields.addAll(summary.fields());
    fields.addAll(labels);
    return fields;
  }

  @Override
  public boolean matches(Event event, Map<String, String> fields) {
    AlertUpdate update = event.getAlertUpdate();
    if (update.getAction() != action
        || !sources.isEmpty() && !sources.contains(update.getSource())
        || !checks.isEmpty() && !checks.contains(update.getCheck())) {
      return false;
    }
    for (String label : labels) {
      String value = update.getLabelsMap().get(label);
      if (value == null) {
        return false;
      }
      fields.put(label, value);
    }
    fields.put("finding_source", update.getSource());
    fields.put("finding_check", update.getCheck());
    fields.put("finding_summary", update.getSummary());
    return summary.find(update.getSummary(), fields);
  }
}
