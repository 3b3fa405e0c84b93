package io.tocsin.rules.command;

import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a push changes in the topic.
 *
 * @param changed documents that are not there, or are there with another text; by name
 * @param removed names of what is taken out of force
 */
record PushPlan(Map<String, RuleFiles.Loaded> changed, Set<String> removed) {
  /**
   * Compares files with what is in force. A rule that an override disables is always removed.
   *
   * @param prunesRules whether rules and dependencies go that are not in the files, and what nobody
   *     can read
   * @param prunesWindows whether maintenance windows go that are not in the files. They are pushed
   *     by hand for one night and belong to no folder, so pruning rules leaves them alone
   */
  static PushPlan of(
      RuleFiles files, RulesTopic.Contents inForce, boolean prunesRules, boolean prunesWindows) {
    Map<String, RuleFiles.Loaded> changed = new TreeMap<>();
    files
        .documents()
        .forEach(
            (name, loaded) -> {
              RuleDocument known = inForce.documents().get(name);
              if (known == null || !known.getYaml().equals(loaded.text().text())) {
                changed.put(name, loaded);
              }
            });
    Set<String> removed = new TreeSet<>();
    inForce
        .documents()
        .forEach(
            (name, record) -> {
              boolean isPruned = isWindow(record) ? prunesWindows : prunesRules;
              if (isPruned || files.disabled().contains(name)) {
                removed.add(name);
              }
            });
    if (prunesRules) {
      removed.addAll(inForce.undecodable());
    }
    removed.removeAll(files.documents().keySet());
    return new PushPlan(changed, removed);
  }

  private static boolean isWindow(RuleDocument record) {
    try {
      return DocumentLoader.kindOf(DocumentText.of(record.getOrigin(), record.getYaml()))
          .equals(DocumentLoader.MAINTENANCE);
    } catch (DocumentException e) {
      return false;
    }
  }
}
