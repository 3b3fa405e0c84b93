package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.LongestUnheard;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finding {@code clock-wrong}: the clock of a device or of an agent is out, and stays so. An
 * agent's heartbeats are held against the broker's clock, a device's syslog against its agent's. So
 * is the time that a monitor gives its updates, under the monitor's name, and only where it is
 * ahead: an old time may be right, of what the monitor has kept or asked long ago. Traps tell no
 * time of day, and counters and DHCP are timed by the agent.
 *
 * <p>What is late has the look of a clock that is behind. But what waited on its way comes faster
 * than it was made, so its lateness shrinks, and a clock's does not: the alert is raised after
 * three readings over a minute that agree within the bound. It is refreshed with the count every
 * ten minutes, and cleared when nothing wrong was said for a while.
 *
 * <p>Only what is wrong is counted here: what says that a clock is right is nearly everything, and
 * would all have to travel. Names are a stranger's, so clocks share a fixed number of keys with
 * room for {@value #MOST_CLOCKS} each: 16,384 devices and as many agents.
 */
public final class ClockRules implements KeyedRules<ClockReading, WrongClocks, Event> {
  /** Clocks of one key. */
  public static final int MOST_CLOCKS = 64;

  private static final int KEYS = 256;
  private static final long AGENT_BOUND_NANOS = 10 * Nanos.PER_SECOND;
  private static final int LEAST_READINGS = 3;
  private static final long LEAST_SPAN_NANOS = 60 * Nanos.PER_SECOND;
  private static final long REFRESH_NANOS = 600 * Nanos.PER_SECOND;

  /** Agents report every second, devices when they have something to say. */
  private static final long AGENT_QUIET_NANOS = 120 * Nanos.PER_SECOND;

  private static final long DEVICE_QUIET_NANOS = 1_800 * Nanos.PER_SECOND;

  private final long deviceBoundNanos;

  /**
   * Rules with what an installation can set.
   *
   * @param maxDeviation how far a device's clock may be from its agent's
   */
  public ClockRules(Duration maxDeviation) {
    this.deviceBoundNanos = maxDeviation.toNanos();
  }

  /**
   * What an event says about a clock that is out by more than its bound; nothing where it is not.
   *
   * @param brokerUnixNanos when the broker took the event
   */
  public Optional<ClockReading> reading(Event event, long brokerUnixNanos) {
    boolean isAgents = event.hasAgentStats();
    boolean isMonitors = event.hasAlertUpdate() && !Finding.JOBS.contains(event.getAgentId());
    if (!isAgents && !isMonitors && !event.hasSyslog()) {
      return Optional.empty();
    }
    long right = isAgents ? brokerUnixNanos : event.getReceivedAtUnixNanos();
    long offset = event.getEventTimeUnixNanos() - right;
    if ((isMonitors ? offset : Math.abs(offset)) <= bound(isAgents)) {
      return Optional.empty();
    }
    String device = isMonitors ? event.getAlertUpdate().getSource() : event.getDevice();
    String name = isAgents ? event.getAgentId() : device;
    return Optional.of(
        new ClockReading(isAgents, name, device, event.getSite(), event.getRole(), offset, right));
  }

  /** One of a fixed number of keys. */
  public static String keyOf(ClockReading reading) {
    int key = Math.floorMod(reading.name().hashCode(), KEYS);
    return (reading.isAgents() ? "agents " : "devices ") + key;
  }

  @Override
  public Step<WrongClocks, Event> onInput(WrongClocks known, ClockReading reading) {
    WrongClocks wrong = known == null ? new WrongClocks() : known;
    List<Event> decisions = new ArrayList<>();
    String name = reading.isAgents() ? reading.name() : reading.site() + "\n" + reading.name();
    WrongClock clock = wrong.clocks.get(name);
    int evicted = 0;
    if (clock == null) {
      evicted = makeRoom(wrong, reading.atUnixNanos(), decisions);
      clock = first(reading);
      wrong.clocks.put(name, clock);
    }
    take(clock, reading);
    if (isNews(clock, reading.atUnixNanos())) {
      clock.emittedAtUnixNanos = reading.atUnixNanos();
      clock.emittedOffsetNanos = clock.offsetNanos;
      decisions.add(finding(clock).summary("%s", summary(clock)).raise(reading.atUnixNanos()));
    }
    return new Step<>(wrong, decisions, nextQuietAt(wrong), evicted);
  }

  private static int makeRoom(WrongClocks wrong, long at, List<Event> decisions) {
    if (wrong.clocks.size() < MOST_CLOCKS) {
      return 0;
    }
    LongestUnheard.in(wrong.clocks, clock -> clock.newestUnixNanos, clock -> true)
        .map(wrong.clocks::remove)
        .filter(WrongClock::isTold)
        .ifPresent(
            clock ->
                decisions.add(
                    finding(clock).summary("forgotten: too many clocks are wrong").clear(at)));
    return 1;
  }

  private static WrongClock first(ClockReading reading) {
    WrongClock clock = new WrongClock();
    clock.isAgents = reading.isAgents();
    clock.name = reading.name();
    clock.device = reading.device();
    clock.site = reading.site();
    clock.role = reading.role();
    return clock;
  }

  private void take(WrongClock clock, ClockReading reading) {
    boolean agrees = Math.abs(reading.offsetNanos() - clock.offsetNanos) <= bound(clock.isAgents);
    if (clock.readings == 0 || !agrees) {
      clock.offsetNanos = reading.offsetNanos();
      clock.sinceUnixNanos = reading.atUnixNanos();
      clock.readings = 0;
    }
    clock.readings++;
    clock.events++;
    clock.newestUnixNanos = Math.max(clock.newestUnixNanos, reading.atUnixNanos());
  }

  private static boolean isNews(WrongClock clock, long at) {
    boolean lasts =
        clock.readings >= LEAST_READINGS && at - clock.sinceUnixNanos >= LEAST_SPAN_NANOS;
    return lasts
        && (clock.emittedOffsetNanos != clock.offsetNanos
            || at - clock.emittedAtUnixNanos >= REFRESH_NANOS);
  }

  @Override
  public Step<WrongClocks, Event> onTimer(WrongClocks wrong, long nowUnixNanos) {
    List<Event> decisions = new ArrayList<>();
    Iterator<WrongClock> clocks = wrong.clocks.values().iterator();
    while (clocks.hasNext()) {
      WrongClock clock = clocks.next();
      if (quietAt(clock) <= nowUnixNanos) {
        clocks.remove();
        if (clock.isTold()) {
          decisions.add(finding(clock).summary("the clock is right").clear(nowUnixNanos));
        }
      }
    }
    return wrong.clocks.isEmpty()
        ? Step.forget(decisions)
        : new Step<>(wrong, decisions, nextQuietAt(wrong));
  }

  private static long nextQuietAt(WrongClocks wrong) {
    return wrong.clocks.values().stream()
        .mapToLong(ClockRules::quietAt)
        .min()
        .orElse(Step.NO_TIMER);
  }

  private static long quietAt(WrongClock clock) {
    return clock.newestUnixNanos + (clock.isAgents ? AGENT_QUIET_NANOS : DEVICE_QUIET_NANOS);
  }

  private long bound(boolean isAgents) {
    return isAgents ? AGENT_BOUND_NANOS : deviceBoundNanos;
  }

  private static Finding finding(WrongClock clock) {
    Severity severity = clock.isAgents ? Severity.SEVERITY_MAJOR : Severity.SEVERITY_WARNING;
    Finding finding =
        Finding.of(Finding.FINDINGS_JOB, "clock-wrong", severity, clock.device, clock.site)
            .role(clock.role)
            .label("offset_seconds", seconds(clock))
            .label("events", clock.events);
    return clock.isAgents ? finding.identity("agent_id", clock.name) : finding;
  }

  private static String summary(WrongClock clock) {
    return String.format(
        Locale.ROOT,
        "the clock of %s%s is %s by %s",
        clock.isAgents ? "agent " : "",
        clock.name,
        clock.offsetNanos > 0 ? "ahead" : "behind",
        duration(Math.abs(seconds(clock))));
  }

  private static long seconds(WrongClock clock) {
    return clock.offsetNanos / Nanos.PER_SECOND;
  }

  /** As a person says it: zones are whole hours, and 1970 is years ago. */
  private static String duration(long seconds) {
    Duration whole = Duration.ofSeconds(seconds);
    if (whole.toDays() > 0) {
      return whole.toDays() + " d " + whole.toHoursPart() + " h";
    }
    return whole.toHours() > 0
        ? whole.toHours() + " h " + whole.toMinutesPart() + " min"
        : whole.toMinutes() + " min " + whole.toSecondsPart() + " s";
  }
}
