package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.util.Map;

/**
 * The alert of a finding. Its check is the finding's name, and its runbook has the same name.
 *
 * @param check name of the finding
 * @param device concerned
 * @param site of the device, empty where none is configured
 * @param identity label that is part of the alert's identity beside device and check; empty for
 *     none
 * @param labels of the finding, the identity's value among them
 */
record FindingAlert(
    String check, String device, String site, String identity, Map<String, String> labels) {
  private static final String SOURCE = "tocsin-findings";

  Event raise(Severity severity, String summary, long atUnixNanos) {
    return event(AlertUpdate.Action.ACTION_UPDATE, severity, summary, atUnixNanos);
  }

  Event clear(String summary, long atUnixNanos) {
    return event(AlertUpdate.Action.ACTION_DELETE, Severity.SEVERITY_CLEARED, summary, atUnixNanos);
  }

  private Event event(
      AlertUpdate.Action action, Severity severity, String summary, long atUnixNanos) {
    AlertUpdate.Builder update =
        AlertUpdate.newBuilder()
            .setAction(action)
            .setSource(SOURCE)
            .setCheck(check)
            .setSeverity(severity)
            .setSummary(summary)
            .putAllLabels(labels);
    if (!identity.isEmpty()) {
      update.addFingerprintLabels(identity);
    }
    String which = String.join("-", SOURCE, check, site, device, labels.getOrDefault(identity, ""));
    return Event.newBuilder()
        .setEventId(which + "-" + action.getNumber() + "-" + atUnixNanos)
        .setAgentId(SOURCE)
        .setListener(SOURCE)
        .setDevice(device)
        .setSite(site)
        .setReceivedAtUnixNanos(atUnixNanos)
        .setEventTimeUnixNanos(atUnixNanos)
        .setAlertUpdate(update)
        .build();
  }
}
