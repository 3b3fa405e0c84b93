package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Makes the alert updates of a finding. Its check is the finding's name, its runbook has the same
 * name, and labels hold the figures. The id of an update is made of what it says and when, so a
 * repeat after a failure carries the same one.
 */
public final class Finding {
  /** Source of what the findings job finds; sources are the names of jobs. */
  public static final String FINDINGS_JOB = "tocsin-findings";

  /** Source of what the registrations job finds. */
  public static final String REGISTRATIONS_JOB = "tocsin-registrations";

  /** Source of what the WAN job finds. */
  public static final String WAN_JOB = "tocsin-wan";

  /** All of them. */
  public static final Set<String> JOBS = Set.of(FINDINGS_JOB, REGISTRATIONS_JOB, WAN_JOB);

  private final String source;
  private final String device;
  private final String site;
  private final Severity severity;
  private String role = "";
  private final AlertUpdate.Builder update;
  private final SortedMap<String, String> labels = new TreeMap<>();

  private Finding(String source, String check, Severity severity, String device, String site) {
    this.source = source;
    this.device = device;
    this.site = site;
    this.severity = severity;
    this.update = AlertUpdate.newBuilder().setSource(source).setCheck(check);
  }

  /**
   * A finding.
   *
   * @param source name of the job that finds
   * @param check name of the finding
   * @param severity while it is raised
   * @param device that it is about; with source, check and site the identity of the alert
   * @param site of the device, empty where none is configured
   */
  public static Finding of(
      String source, String check, Severity severity, String device, String site) {
    return new Finding(source, check, severity, device, site);
  }

  /**
   * What the device is for, which is a label too, as of the alerts that rules make: maintenance and
   * routes can ask for it.
   *
   * @param name empty where nobody says
   */
  public Finding role(String name) {
    role = name;
    return label("role", name);
  }

  /** A label; an empty one is left out. */
  public Finding label(String name, String value) {
    if (!value.isEmpty()) {
      labels.put(name, value);
    }
    return this;
  }

  /** A count. */
  public Finding label(String name, long value) {
    return label(name, Long.toString(value));
  }

  /** A ratio or milliseconds. */
  public Finding label(String name, double value) {
    return label(name, number(value));
  }

  /** A label that is part of the alert's identity too. */
  public Finding identity(String name, String value) {
    update.addFingerprintLabels(name);
    return label(name, value);
  }

  /** A figure with as many digits as a person reads. */
  public static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.3f" : "%.0f", value);
  }

  /** What a person reads. */
  public Finding summary(String format, Object... arguments) {
    update.setSummary(String.format(Locale.ROOT, format, arguments));
    return this;
  }

  /** The update that raises the alert, or refreshes it. */
  public Event raise(long unixNanos) {
    return event(AlertUpdate.Action.ACTION_UPDATE, severity, unixNanos);
  }

  /** The update that clears the alert. */
  public Event clear(long unixNanos) {
    return event(AlertUpdate.Action.ACTION_DELETE, Severity.SEVERITY_CLEARED, unixNanos);
  }

  private Event event(AlertUpdate.Action action, Severity now, long unixNanos) {
    return Event.newBuilder()
        .setEventId(source + "-" + idOf(action, now, unixNanos))
        .setAgentId(source)
        .setListener(source)
        .setReceivedAtUnixNanos(unixNanos)
        .setEventTimeUnixNanos(unixNanos)
        .setDevice(device)
        .setSite(site)
        .setRole(role)
        .setAlertUpdate(update.setAction(action).setSeverity(now).putAllLabels(labels))
        .build();
  }

  private UUID idOf(AlertUpdate.Action action, Severity now, long unixNanos) {
    String text =
        String.join(
            "\n",
            update.getCheck(),
            device,
            site,
            action.name(),
            now.name(),
            update.getSummary(),
            labels.toString(),
            Long.toString(unixNanos));
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
