package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import java.util.List;

/**
 * The last word on an alert that is over and forgotten: its fingerprint without a transition. It
 * goes the way of the alert's transitions, so that it stands behind them on the topic, and there it
 * is a record without a value.
 */
public final class Tombstone {
  private Tombstone() {}

  /** Of an alert that was told; nothing where only clears were received. */
  static List<Alert> of(TrackedAlert alert) {
    return alert.fingerprint.isEmpty() ? List.of() : List.of(of(alert.fingerprint));
  }

  /** Of a fingerprint. */
  static Alert of(String fingerprint) {
    return Alert.newBuilder().setFingerprint(fingerprint).build();
  }

  /** Whether an alert is one. */
  public static boolean is(Alert alert) {
    return alert.getTransition() == AlertTransition.ALERT_TRANSITION_UNSPECIFIED;
  }
}
