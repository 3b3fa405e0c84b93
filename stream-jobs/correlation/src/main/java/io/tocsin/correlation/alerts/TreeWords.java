package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What trees tell when alerts have changed.
 *
 * @param active what begins or changes, parents before their children, so that these begin under
 *     them
 * @param over what ends, children before their parents, so that these do not outlive them
 */
record TreeWords(List<Alert> active, List<Alert> over) {

  /**
   * Of the trees that have changed, against what the gate has told.
   *
   * @param clock event time the stream has reached
   * @param now time of what changed them
   */
  static TreeWords of(Trees trees, long clock, long now, GateState state) {
    TreeWords words = new TreeWords(new ArrayList<>(), new ArrayList<>());
    for (TreeStatus status : trees.look(clock)) {
      String name = status.tree().name();
      words.add(
          TreeAlerts.top(status, held(TreeAlerts.topFingerprint(name), state), next(now, state)),
          state);
      words.add(
          TreeAlerts.redundancy(
              status, held(TreeAlerts.redundancyFingerprint(name), state), next(now, state)),
          state);
    }
    Collections.reverse(words.active);
    return words;
  }

  /** Of all trees, after some were pushed or withdrawn. */
  static TreeWords ofChanged(Trees trees, long clock, GateState state) {
    TreeWords words = of(trees, clock, clock, state);
    for (Map.Entry<String, GatedAlert> entry : state.alerts()) {
      Alert alert = entry.getValue().isActive() ? entry.getValue().own() : null;
      if (alert != null
          && TreeAlerts.isTree(alert)
          && trees.tree(TreeAlerts.nameOf(alert)) == null) {
        words.add(Optional.of(TreeAlerts.over(alert, next(clock, state))), state);
      }
    }
    return words;
  }

  private static Alert held(String fingerprint, GateState state) {
    GatedAlert alert = state.alert(fingerprint);
    return alert == null || !alert.isActive() ? null : alert.own();
  }

  /** Versions are times, and grow over the end of an alert. */
  private static long next(long now, GateState state) {
    return Math.max(state.treeVersion() + TrackedAlert.VERSION_STRIDE, now);
  }

  private void add(Optional<Alert> word, GateState state) {
    word.ifPresent(
        alert -> {
          state.putTreeVersion(alert.getVersion());
          (GatedAlert.isActive(alert) ? active : over).add(alert);
        });
  }
}
