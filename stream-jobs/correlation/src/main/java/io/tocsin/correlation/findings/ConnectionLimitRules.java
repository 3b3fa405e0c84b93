package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Finding {@code conn_limit}: a connection table is nearly full, and what that does to people. One
 * alert a device: major from two polls near the limit on, before anybody is thrown out; critical
 * once connections are cut in a burst meanwhile, with their number. A burst needs one poll only:
 * somebody was cut already. Disconnects without a full table are somebody else's.
 *
 * <p>Cleared when two polls find room again, or when nobody polls any more.
 */
public final class ConnectionLimitRules implements Serializable {
  private static final long BURST_NANOS = 60_000_000_000L;
  private static final long STALE_NANOS = 900_000_000_000L;
  private static final long FORGET_NANOS = 3_600_000_000_000L;
  private static final int MOST_REMEMBERED = 1_000;
  private static final int POLLS_IN_A_ROW = 2;

  private final Pattern gauge;
  private final double nearRatio;
  private final double clearRatio;
  private final int burst;
  private final Pattern disconnect;

  /**
   * Rules with what an installation can set.
   *
   * @param gauge regular expression that a gauge's name must match: a temperature has a limit too
   * @param nearRatio of the limit from which on a table is nearly full, 0 to 1
   * @param clearRatio of the limit below which a raised alert is cleared
   * @param burst disconnects within a minute that are a burst
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
      take(table, event.getGauge(), at);
    } else if (table.disconnectsUnixNanos.size() < MOST_REMEMBERED) {
      table.disconnectsUnixNanos.add(at);
    }
    return judge(table, event.getDevice(), table.heardAtUnixNanos);
  }

  /** A device may have several tables, and says of none who was cut from it: the fullest counts. */
  private void take(ConnectionTable table, Gauge poll, long at) {
    boolean isSame =
        poll.getName().equals(table.gauge) && poll.getInstance().equals(table.instance);
    if (isSame ? at >= table.polledAtUnixNanos : poll.getValue() / poll.getLimit() > ratio(table)) {
      table.gauge = poll.getName();
      table.instance = poll.getInstance();
      table.value = poll.getValue();
      table.limit = poll.getLimit();
      table.polledAtUnixNanos = at;
      table.fullPolls = ratio(table) >= nearRatio ? (isSame ? table.fullPolls : 0) + 1 : 0;
      table.roomyPolls = ratio(table) < clearRatio ? table.roomyPolls + 1 : 0;
    }
  }

  private static double ratio(ConnectionTable table) {
    return table.limit > 0 ? table.value / table.limit : 0;
  }

  /** Whether a table of which nothing was heard is to be forgotten. */
  public boolean isForgotten(ConnectionTable table, long nowUnixNanos) {
    return nowUnixNanos - table.heardAtUnixNanos >= FORGET_NANOS;
  }

  /** Clears the alert of a table that nobody polls any more. */
  public Answer onTimer(ConnectionTable table, String device, long nowUnixNanos) {
    return isForgotten(table, nowUnixNanos) ? Answer.silent() : judge(table, device, nowUnixNanos);
  }

  private Answer judge(ConnectionTable table, String device, long nowUnixNanos) {
    table.disconnectsUnixNanos.removeIf(time -> time < nowUnixNanos - BURST_NANOS);
    int disconnects = table.disconnectsUnixNanos.size();
    boolean isBurst = disconnects >= burst && ratio(table) >= nearRatio;
    if (table.isRaised) {
      boolean isStale = nowUnixNanos - table.polledAtUnixNanos >= STALE_NANOS;
      if (table.roomyPolls >= POLLS_IN_A_ROW || isStale) {
        Event clear = alert(table, device).clear(summary(table, device), nowUnixNanos);
        table.isRaised = false;
        table.mostDisconnects = 0;
        return next(table, List.of(clear));
      }
      // Twice as many are news, one more is not.
      boolean isWorse = isBurst && disconnects >= 2 * table.mostDisconnects;
      return isWorse ? raise(table, device, disconnects, nowUnixNanos) : next(table, List.of());
    }
    if (table.fullPolls >= POLLS_IN_A_ROW || isBurst) {
      return raise(table, device, isBurst ? disconnects : 0, nowUnixNanos);
    }
    return next(table, List.of());
  }

  private static Answer raise(
      ConnectionTable table, String device, int disconnects, long nowUnixNanos) {
    table.isRaised = true;
    table.mostDisconnects = disconnects;
    Severity severity = disconnects > 0 ? Severity.SEVERITY_CRITICAL : Severity.SEVERITY_MAJOR;
    Event raise = alert(table, device).raise(severity, summary(table, device), nowUnixNanos);
    return next(table, List.of(raise));
  }

  private static Answer next(ConnectionTable table, List<Event> updates) {
    long timer =
        table.isRaised
            ? table.polledAtUnixNanos + STALE_NANOS
            : table.heardAtUnixNanos + FORGET_NANOS;
    return new Answer(updates, OptionalLong.of(timer));
  }

  private static FindingAlert alert(ConnectionTable table, String device) {
    Map<String, String> labels =
        Map.of(
            "gauge", table.gauge,
            "instance", table.instance,
            "value", String.format(Locale.ROOT, "%.0f", table.value),
            "limit", String.format(Locale.ROOT, "%.0f", table.limit),
            "ratio", String.format(Locale.ROOT, "%.3f", ratio(table)),
            "disconnects", Integer.toString(table.mostDisconnects));
    return new FindingAlert("conn_limit", device, table.site, "", labels);
  }

  private static String summary(ConnectionTable table, String device) {
    String holds =
        String.format(
            Locale.ROOT,
            "%s holds %.0f of %.0f %s (%.0f %%)",
            device,
            table.value,
            table.limit,
            table.gauge,
            100 * ratio(table));
    return table.mostDisconnects == 0
        ? holds
        : holds + ", and cut " + table.mostDisconnects + " within a minute";
  }
}
