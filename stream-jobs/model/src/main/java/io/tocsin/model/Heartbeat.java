package io.tocsin.model;

import io.tocsin.alerts.v1.Alert;

/**
 * The alert by which {@code tocsin heartbeat} shows that the whole way to the pager works. It is no
 * fault: nothing holds it back, and no table of alerts has it. Alertmanager takes it to an outside
 * receiver that complains when it stays away.
 */
public final class Heartbeat {
  /** Source of its updates, which no monitor may use: {@code alert_update.proto} says so. */
  public static final String SOURCE = "tocsin-heartbeat";

  private Heartbeat() {}

  /** Whether an alert is one. */
  public static boolean is(Alert alert) {
    return alert.getSource().equals(SOURCE);
  }
}
