package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.Event;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Finding {@code conn_limit}: a gauge near its limit, and the connections that are cut because of
 * it. Near the limit alone is a warning before anybody is thrown out; with a burst of disconnects
 * within a minute it is major, and the alert has their number. Disconnects without a full table are
 * somebody else's.
 */
public final class ConnectionLimitRules implements Serializable {
  private static final long BURST_NANOS = 60_000_000_000L;
  private static final long FORGET_NANOS = 3_600_000_000_000L;
  private static final int MOST_REMEMBERED = 1_000;

  private final Pattern gauge;
  private final double nearRatio;
  private final double clearRatio;
  private final int burst;
  private final Pattern disconnect;

  /**
   * Rules with what an installation can set.
   *
   * @param gauge regular expression that a gauge's name must match: a temperature has a limit too
   * @param nearRatio of the limit from which on the alert is raised, 0 to 1
   * @param clearRatio of the limit below which it is cleared
   * @param burst disconnects within a minute that are one
   * @param disconnect regular expression that finds one in a syslog message
   */
  public ConnectionLimitRules(
      String gauge, double nearRatio, double clearRatio, int burst, String disconnect) {
    this.gauge = Pattern.compile(gauge, Pattern.CASE_INSENSITIVE);
    this.nearRatio = nearRatio;
    this.clearRatio = clearRatio;
    this.burst = burst;
    this.disconnect = Pattern.compile(disconnect, Pattern.CASE_INSENSITIVE);
  }

  /** Whether an event concerns a connection table: a gauge with a limit, or a disconnect. */
  public boolean concerns(Event event) {
    return event.hasGauge()
            && event.getGauge().getLimit() > 0
            && gauge.matcher(event.getGauge().getName()).find()
        || event.hasSyslog() && disconnect.matcher(event.getSyslog().getMessage()).find();
  }

  /**
   * Takes an event that concerns the table of its device.
   *
   * @param table changed in place
   */
  public Answer onEvent(ConnectionTable table, Event event) {
    long at = event.getReceivedAtUnixNanos();
    table.site = event.getSite();
    table.heardAtUnixNanos = Math.max(table.heardAtUnixNanos, at);
    if (event.hasGauge()) {
      if (at >= table.polledAtUnixNanos) {
        table.gauge = event.getGauge().getName();
        table.value = event.getGauge().getValue();
        table.limit = event.getGauge().getLimit();
        table.polledAtUnixNanos = at;
      }
    } else if (table.disconnectsUnixNanos.size() < MOST_REMEMBERED) {
      table.disconnectsUnixNanos.add(at);
    }
    long since = table.heardAtUnixNanos - BURST_NANOS;
    table.disconnectsUnixNanos.removeIf(time -> time < since);
    return judge(table, event.getDevice());
  }

  /** Whether a table of which nothing was heard is to be forgotten. */
  public boolean isForgotten(ConnectionTable table, long nowUnixNanos) {
    return nowUnixNanos - table.heardAtUnixNanos >= FORGET_NANOS;
  }

  /** Clears the alert of a table of which nothing is heard any more. */
  public Answer onTimer(ConnectionTable table, String device, long nowUnixNanos) {
    if (!isForgotten(table, nowUnixNanos) || table.raisedSeverity == 0) {
      return Answer.silent();
    }
    Event clear = alert(table, device, 0).clear("not polled for an hour", nowUnixNanos);
    return new Answer(List.of(clear), OptionalLong.empty());
  }

  private Answer judge(ConnectionTable table, String device) {
    long now = table.heardAtUnixNanos;
    OptionalLong timer = OptionalLong.of(now + FORGET_NANOS);
    double ratio = table.limit > 0 ? table.value / table.limit : 0;
    boolean isRaised = table.raisedSeverity > 0;
    if (ratio < (isRaised ? clearRatio : nearRatio)) {
      if (!isRaised) {
        return new Answer(List.of(), timer);
      }
      Event clear = alert(table, device, ratio).clear(summary(table, ratio), now);
      table.raisedSeverity = 0;
      table.mostDisconnects = 0;
      return new Answer(List.of(clear), timer);
    }
    int disconnects = table.disconnectsUnixNanos.size();
    table.mostDisconnects = Math.max(table.mostDisconnects, disconnects);
    Severity severity =
        table.mostDisconnects >= burst ? Severity.SEVERITY_MAJOR : Severity.SEVERITY_WARNING;
    if (severity.getNumber() <= table.raisedSeverity) {
      return new Answer(List.of(), timer);
    }
    table.raisedSeverity = severity.getNumber();
    Event raise = alert(table, device, ratio).raise(severity, summary(table, ratio), now);
    return new Answer(List.of(raise), timer);
  }

  private static FindingAlert alert(ConnectionTable table, String device, double ratio) {
    Map<String, String> labels =
        Map.of(
            "gauge", table.gauge,
            "value", String.format(Locale.ROOT, "%.0f", table.value),
            "limit", String.format(Locale.ROOT, "%.0f", table.limit),
            "ratio", String.format(Locale.ROOT, "%.3f", ratio),
            "disconnects", Integer.toString(table.mostDisconnects));
    return new FindingAlert("conn_limit", device, table.site, "", labels);
  }

  private static String summary(ConnectionTable table, double ratio) {
    return String.format(
        Locale.ROOT,
        "%s %.0f of %.0f (%.0f %%), %d disconnects within a minute",
        table.gauge,
        table.value,
        table.limit,
        100 * ratio,
        table.mostDisconnects);
  }
}
