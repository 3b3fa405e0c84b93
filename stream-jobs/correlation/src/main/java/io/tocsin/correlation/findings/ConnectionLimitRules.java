package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.text.AnyCasePattern;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import java.util.List;

/**
 * Finding {@code connection-limit}: a connection table is nearly full, and what that does to
 * people. One alert a device: major from two polls near the limit on, before anybody is thrown out;
 * critical once connections are cut in a burst meanwhile, with their number. A burst needs one poll
 * only: somebody was cut already. Disconnects without a full table are somebody else's.
 *
 * <p>Repeated each hour while it holds, cleared when two polls find room again, or when nobody
 * polls any more.
 */
public final class ConnectionLimitRules implements FindingRules<Event, ConnectionTable> {
  private static final long BURST_NANOS = 60 * Nanos.PER_SECOND;
  private static final long REPEAT_NANOS = 3_600 * Nanos.PER_SECOND;
  private static final long STALE_NANOS = 900 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 3_600 * Nanos.PER_SECOND;
  private static final int MOST_REMEMBERED = 1_000;
  private static final int POLLS_IN_A_ROW = 2;

  private final AnyCasePattern gauge;
  private final double nearRatio;
  private final double clearRatio;
  private final int burst;
  private final AnyCasePattern disconnect;

  /**
   * Rules with what an installation can set.
   *
   * @param gauge RE2 expression that a gauge's name must match: a temperature has a limit too
   * @param nearRatio of the limit from which on a table is nearly full, 0 to 1
   * @param clearRatio of the limit below which a raised alert is cleared
   * @param burst disconnects within a minute that are a burst
   * @param disconnect RE2 expression that finds one in a syslog message
   */
  public ConnectionLimitRules(
      String gauge, double nearRatio, double clearRatio, int burst, String disconnect) {
    this.gauge = AnyCasePattern.of(gauge);
    this.nearRatio = nearRatio;
    this.clearRatio = clearRatio;
    this.burst = burst;
    this.disconnect = AnyCasePattern.of(disconnect);
  }

  /** A gauge with a limit, or a disconnect. */
  @Override
  public boolean concerns(Event event) {
    return event.hasGauge()
            && event.getGauge().getLimit() > 0
            && gauge.findsIn(event.getGauge().getName())
        || event.hasSyslog() && disconnect.findsIn(event.getSyslog().getMessage());
  }

  @Override
  public String keyOf(Event event) {
    return event.getDevice();
  }

  @Override
  public Step<ConnectionTable, Event> onInput(ConnectionTable known, Event event) {
    long at = event.getReceivedAtUnixNanos();
    ConnectionTable table = known == null ? new ConnectionTable() : known;
    table.device = event.getDevice();
    table.site = event.getSite();
    table.role = event.getRole();
    table.newestUnixNanos = Math.max(table.newestUnixNanos, at);
    if (event.hasGauge()) {
      take(table, event.getGauge(), at);
    } else if (table.disconnectsUnixNanos.size() < MOST_REMEMBERED) {
      table.disconnectsUnixNanos.add(at);
    }
    return judge(table, table.newestUnixNanos);
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

  /** Clears the alert of a table that nobody polls any more, and forgets it later. */
  @Override
  public Step<ConnectionTable, Event> onTimer(ConnectionTable table, long nowUnixNanos) {
    return nowUnixNanos - table.newestUnixNanos >= FORGET_NANOS
        ? Step.forget(List.of())
        : judge(table, nowUnixNanos);
  }

  private Step<ConnectionTable, Event> judge(ConnectionTable table, long now) {
    table.disconnectsUnixNanos.removeIf(time -> time < now - BURST_NANOS);
    int disconnects = table.disconnectsUnixNanos.size();
    boolean isBurst = disconnects >= burst && ratio(table) >= nearRatio;
    if (table.isRaised) {
      boolean isStale = now - table.polledAtUnixNanos >= STALE_NANOS;
      if (table.roomyPolls >= POLLS_IN_A_ROW || isStale) {
        Event clear = finding(table).clear(now);
        table.isRaised = false;
        table.mostDisconnects = 0;
        return next(table, List.of(clear));
      }
      // Twice as many are news, one more is not.
      boolean isWorse = isBurst && disconnects >= 2 * table.mostDisconnects;
      boolean isRepeat = now - table.raisedAtUnixNanos >= REPEAT_NANOS;
      int most = isWorse ? disconnects : table.mostDisconnects;
      return isWorse || isRepeat ? raise(table, most, now) : next(table, List.of());
    }
    return table.fullPolls >= POLLS_IN_A_ROW || isBurst
        ? raise(table, isBurst ? disconnects : 0, now)
        : next(table, List.of());
  }

  private static Step<ConnectionTable, Event> raise(
      ConnectionTable table, int disconnects, long now) {
    table.isRaised = true;
    table.raisedAtUnixNanos = now;
    table.mostDisconnects = disconnects;
    return next(table, List.of(finding(table).raise(now)));
  }

  private static Step<ConnectionTable, Event> next(ConnectionTable table, List<Event> decisions) {
    long timer =
        table.isRaised
            ? table.polledAtUnixNanos + STALE_NANOS
            : table.newestUnixNanos + FORGET_NANOS;
    return new Step<>(table, decisions, timer);
  }

  private static Finding finding(ConnectionTable table) {
    Severity severity =
        table.mostDisconnects > 0 ? Severity.SEVERITY_CRITICAL : Severity.SEVERITY_MAJOR;
    Finding finding =
        Finding.of(Finding.FINDINGS_JOB, "connection-limit", severity, table.device, table.site)
            .role(table.role)
            .label("gauge", table.gauge)
            .label("instance", table.instance)
            .label("value", Math.round(table.value))
            .label("limit", Math.round(table.limit))
            .label("ratio", ratio(table))
            .label("disconnects", table.mostDisconnects);
    String cut =
        table.mostDisconnects == 0 ? "" : ", and cut " + table.mostDisconnects + " within a minute";
    return finding.summary(
        "%s holds %.0f of %.0f %s (%.0f %%)%s",
        table.device, table.value, table.limit, table.gauge, 100 * ratio(table), cut);
  }
}
