package io.tocsin.correlation.registrations.findings;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Makes alert updates of findings: source is the job, check the finding, labels the numbers. The id
 * of an update is made of what it says and when, so a repeat after a failure carries the same one.
 */
final class Finding {
  /** Name of the job, which is the source of its findings. */
  static final String SOURCE = "tocsin-registrations";

  private static final int IPV6_BYTES = 16;

  private final String check;
  private final Severity severity;
  private final String device;
  private final String site;
  private final SortedMap<String, String> labels = new TreeMap<>();
  private String summary = "";

  private Finding(String check, Severity severity, String device, String site) {
    this.check = check;
    this.severity = severity;
    this.device = device;
    this.site = site;
  }

  /**
   * A finding.
   *
   * @param check its name
   * @param device what it is about; with check and site the identity of the alert
   */
  static Finding of(String check, Severity severity, String device, String site) {
    return new Finding(check, severity, device, site);
  }

  /** The subject of a finding about one server and one scope of it. */
  static String subject(String server, String scope) {
    String name = server.isEmpty() ? "any server" : server;
    return scope.indexOf('/') >= 0 ? name + " for " + scope : name + " via " + scope;
  }

  Finding label(String name, String value) {
    if (!value.isEmpty()) {
      labels.put(name, value);
    }
    return this;
  }

  Finding label(String name, long value) {
    labels.put(name, Long.toString(value));
    return this;
  }

  /** A ratio or milliseconds, with as many digits as a person reads. */
  Finding label(String name, double value) {
    labels.put(name, number(value));
    return this;
  }

  static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.3f" : "%.0f", value);
  }

  Finding summary(String line) {
    summary = line;
    return this;
  }

  Event event(Word word, long unixNanos) {
    boolean isOver = word == Word.CLEAR;
    return Event.newBuilder()
        .setEventId(SOURCE + "-" + idOf(word, unixNanos))
        .setAgentId(SOURCE)
        .setListener(SOURCE)
        .setReceivedAtUnixNanos(unixNanos)
        .setEventTimeUnixNanos(unixNanos)
        .setSourceIp(ByteString.copyFrom(new byte[IPV6_BYTES]))
        .setDevice(device)
        .setSite(site)
        .setAlertUpdate(
            AlertUpdate.newBuilder()
                .setAction(
                    isOver ? AlertUpdate.Action.ACTION_DELETE : AlertUpdate.Action.ACTION_UPDATE)
                .setSource(SOURCE)
                .setCheck(check)
                .setSeverity(isOver ? Severity.SEVERITY_CLEARED : severity)
                .setSummary(summary)
                .putAllLabels(Map.copyOf(labels)))
        .build();
  }

  private UUID idOf(Word word, long unixNanos) {
    String text = String.join("\n", check, device, site, word.name(), Long.toString(unixNanos));
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
