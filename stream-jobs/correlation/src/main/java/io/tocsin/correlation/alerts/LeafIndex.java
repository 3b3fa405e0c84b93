package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds the leaves that mean an alert by one field that each of them names exactly, the one whose
 * values fewest others name; those without such a field are all looked at.
 *
 * @param <L> what is found
 */
final class LeafIndex<L> {
  private record Entry<L>(AlertLeaf leaf, L found) {}

  private final Map<String, Map<String, List<Entry<L>>>> byField = new TreeMap<>();
  private final List<Entry<L>> others = new ArrayList<>();

  LeafIndex(Map<L, AlertLeaf> leaves) {
    Map<String, Map<String, Integer>> counts = counts(leaves.values());
    leaves.forEach((found, leaf) -> add(new Entry<>(leaf, found), counts));
  }

  private static Map<String, Map<String, Integer>> counts(Collection<AlertLeaf> leaves) {
    Map<String, Map<String, Integer>> counts = new HashMap<>();
    for (AlertLeaf leaf : leaves) {
      leaf.alerts()
          .exactValues()
          .forEach(
              (field, values) ->
                  values.forEach(
                      value ->
                          counts
                              .computeIfAbsent(field, name -> new HashMap<>())
                              .merge(value, 1, Integer::sum)));
    }
    return counts;
  }

  private void add(Entry<L> entry, Map<String, Map<String, Integer>> counts) {
    String rarest = null;
    int least = Integer.MAX_VALUE;
    Map<String, List<String>> exact = entry.leaf.alerts().exactValues();
    for (Map.Entry<String, List<String>> field : exact.entrySet()) {
      int most =
          field.getValue().stream().mapToInt(counts.get(field.getKey())::get).max().orElseThrow();
      if (most < least) {
        least = most;
        rarest = field.getKey();
      }
    }
    if (rarest == null) {
      others.add(entry);
      return;
    }
    Map<String, List<Entry<L>>> byValue = byField.computeIfAbsent(rarest, name -> new HashMap<>());
    for (String value : exact.get(rarest)) {
      byValue.computeIfAbsent(value, name -> new ArrayList<>()).add(entry);
    }
  }

  /** What means an alert. */
  List<L> of(Alert alert) {
    List<L> found = new ArrayList<>();
    byField.forEach(
        (field, byValue) ->
            collect(
                byValue.getOrDefault(AlertMatcher.valueOf(alert, field), List.of()), alert, found));
    collect(others, alert, found);
    return found;
  }

  private static <L> void collect(List<Entry<L>> entries, Alert alert, List<L> found) {
    for (Entry<L> entry : entries) {
      if (entry.leaf.matches(alert)) {
        found.add(entry.found);
      }
    }
  }
}
