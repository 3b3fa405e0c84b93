package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.findings.HostLoad.DiskLoad;
import io.tocsin.correlation.findings.HostLoad.ProcessorShare;
import io.tocsin.correlation.text.AnyCasePattern;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * Finding {@code storage-slow}: a disk is busy all the time, its requests wait, and the processors
 * have nothing to do: it is the storage that is slow, and not the program. One alert a device, of
 * the disk that is worst; minor, because it explains other alerts rather than being a fault.
 *
 * <p>Raised by three readings in a row that find a disk busy while the processors idle; a disk that
 * is busy and answers quickly, as many that work in parallel do, is none. Cleared when three
 * readings in a row find it at ease, when the processors work, so that it is not the storage alone
 * any more, or when nobody reads it. Repeated each hour while it holds.
 */
public final class StorageSlowRules implements FindingRules<Event, HostLoad> {
  private static final long REPEAT_NANOS = 3_600 * Nanos.PER_SECOND;
  private static final long STALE_NANOS = 900 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 3_600 * Nanos.PER_SECOND;
  private static final int READINGS_IN_A_ROW = 3;
  private static final int MOST_DISKS = 256;
  private static final int MOST_PROCESSOR_SHARES = 1_024;
  private static final String UTILIZATION = "disk_utilization";
  private static final String WAIT = "disk_wait";

  private final AnyCasePattern processorGauge;
  private final Limits limits;

  /**
   * From where on.
   *
   * @param busyPercent utilization from which on a disk is busy; at ease three quarters of it
   * @param waitMs how long requests of a slow disk take at least, where that is told
   * @param idlePercent processors that are busy no more than this idle; they work from one and a
   *     half times as much on
   */
  public record Limits(double busyPercent, double waitMs, double idlePercent)
      implements Serializable {
    double calmPercent() {
      return 0.75 * busyPercent;
    }

    double workingPercent() {
      return 1.5 * idlePercent;
    }
  }

  /**
   * Rules with what an installation can set.
   *
   * @param processorGauge RE2 expression that matches names of gauges which are shares of the
   *     processors' time, in percent; those of several names are added up, several instances of one
   *     are averaged
   */
  public StorageSlowRules(String processorGauge, Limits limits) {
    this.processorGauge = AnyCasePattern.of(processorGauge);
    this.limits = limits;
  }

  /** A figure of a disk or of a processor. */
  @Override
  public boolean concerns(Event event) {
    if (!event.hasGauge()) {
      return false;
    }
    String name = event.getGauge().getName();
    return name.equals(UTILIZATION) || name.equals(WAIT) || processorGauge.findsIn(name);
  }

  @Override
  public String keyOf(Event event) {
    return event.getDevice();
  }

  @Override
  public Step<HostLoad, Event> onInput(HostLoad known, Event event) {
    long at = event.getReceivedAtUnixNanos();
    HostLoad load = known == null ? new HostLoad() : known;
    load.device = event.getDevice();
    load.site = event.getSite();
    load.role = event.getRole();
    load.newestUnixNanos = Math.max(load.newestUnixNanos, at);
    Gauge gauge = event.getGauge();
    switch (gauge.getName()) {
      case UTILIZATION -> takeUtilization(load, gauge, at);
      case WAIT -> takeWait(load, gauge);
      default -> takeProcessors(load, gauge, at);
    }
    return judge(load, load.newestUnixNanos);
  }

  private void takeUtilization(HostLoad load, Gauge gauge, long at) {
    if (!load.disks.containsKey(gauge.getInstance()) && load.disks.size() >= MOST_DISKS) {
      return;
    }
    DiskLoad disk = load.disks.computeIfAbsent(gauge.getInstance(), name -> new DiskLoad());
    if (at < disk.readAtUnixNanos) {
      return;
    }
    boolean isInARow = at - disk.readAtUnixNanos < STALE_NANOS;
    disk.readAtUnixNanos = at;
    disk.utilization = gauge.getValue();
    boolean isBusy = disk.utilization >= limits.busyPercent();
    boolean isCalm = disk.utilization < limits.calmPercent();
    disk.busyReadings = isBusy ? (isInARow ? disk.busyReadings : 0) + 1 : 0;
    disk.calmReadings = isCalm ? (isInARow ? disk.calmReadings : 0) + 1 : 0;
  }

  /** Comes after the utilization of the same reading. */
  private static void takeWait(HostLoad load, Gauge gauge) {
    DiskLoad disk = load.disks.get(gauge.getInstance());
    if (disk != null) {
      disk.waitMs = gauge.getValue();
    }
  }

  private static void takeProcessors(HostLoad load, Gauge gauge, long at) {
    String key = gauge.getName() + "\n" + gauge.getInstance();
    if (!load.processors.containsKey(key) && load.processors.size() >= MOST_PROCESSOR_SHARES) {
      return;
    }
    ProcessorShare share = load.processors.computeIfAbsent(key, name -> new ProcessorShare());
    if (at >= share.readAtUnixNanos) {
      share.gauge = gauge.getName();
      share.share = gauge.getValue();
      share.readAtUnixNanos = at;
    }
  }

  /** Clears the alert of a disk that nobody reads any more, and forgets it later. */
  @Override
  public Step<HostLoad, Event> onTimer(HostLoad load, long nowUnixNanos) {
    return nowUnixNanos - load.newestUnixNanos >= FORGET_NANOS
        ? Step.forget(List.of())
        : judge(load, nowUnixNanos);
  }

  private Step<HostLoad, Event> judge(HostLoad load, long now) {
    load.disks.values().removeIf(disk -> now - disk.readAtUnixNanos >= FORGET_NANOS);
    load.processors.values().removeIf(share -> now - share.readAtUnixNanos >= STALE_NANOS);
    OptionalDouble busy = processorsBusy(load);
    if (load.isRaised) {
      return judgeRaised(load, busy, now);
    }
    boolean isIdle = busy.isPresent() && busy.getAsDouble() <= limits.idlePercent();
    return isIdle
        ? load.disks.entrySet().stream()
            .filter(disk -> isSlow(disk.getValue(), now))
            .max(worst())
            .map(disk -> raise(load, disk.getKey(), busy.getAsDouble(), now))
            .orElseGet(() -> next(load, List.of()))
        : next(load, List.of());
  }

  private Step<HostLoad, Event> judgeRaised(HostLoad load, OptionalDouble busy, long now) {
    DiskLoad disk = load.disks.getOrDefault(load.raisedDisk, new DiskLoad());
    boolean isOver =
        disk.calmReadings >= READINGS_IN_A_ROW
            || now - disk.readAtUnixNanos >= STALE_NANOS
            || busy.isEmpty()
            || busy.getAsDouble() >= limits.workingPercent();
    if (isOver) {
      Event clear = finding(load, load.raisedDisk, disk, busy.orElse(0)).clear(now);
      load.isRaised = false;
      return next(load, List.of(clear));
    }
    return now - load.raisedAtUnixNanos >= REPEAT_NANOS
        ? raise(load, load.raisedDisk, busy.getAsDouble(), now)
        : next(load, List.of());
  }

  private boolean isSlow(DiskLoad disk, long now) {
    return disk.busyReadings >= READINGS_IN_A_ROW
        && now - disk.readAtUnixNanos < STALE_NANOS
        && (disk.waitMs < 0 || disk.waitMs >= limits.waitMs());
  }

  /** The one whose requests wait longest; the name decides among equals. */
  private static Comparator<Map.Entry<String, DiskLoad>> worst() {
    return Comparator.comparingDouble((Map.Entry<String, DiskLoad> disk) -> disk.getValue().waitMs)
        .thenComparing(disk -> disk.getValue().utilization)
        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder()));
  }

  /** Nothing where nobody tells. */
  private static OptionalDouble processorsBusy(HostLoad load) {
    Map<String, Double> means =
        load.processors.values().stream()
            .collect(Collectors.groupingBy(s -> s.gauge, Collectors.averagingDouble(s -> s.share)));
    return means.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(means.values().stream().mapToDouble(Double::doubleValue).sum());
  }

  private static Step<HostLoad, Event> raise(HostLoad load, String disk, double busy, long now) {
    load.isRaised = true;
    load.raisedDisk = disk;
    load.raisedAtUnixNanos = now;
    return next(load, List.of(finding(load, disk, load.disks.get(disk), busy).raise(now)));
  }

  private static Step<HostLoad, Event> next(HostLoad load, List<Event> decisions) {
    long timer =
        load.isRaised
            ? load.disks.get(load.raisedDisk).readAtUnixNanos + STALE_NANOS
            : load.newestUnixNanos + FORGET_NANOS;
    return new Step<>(load, decisions, timer);
  }

  private static Finding finding(HostLoad load, String name, DiskLoad disk, double busy) {
    Finding finding =
        Finding.of(
                Finding.FINDINGS_JOB,
                "storage-slow",
                Severity.SEVERITY_MINOR,
                load.device,
                load.site)
            .role(load.role)
            .label("disk", name)
            .label("utilization_percent", Math.round(disk.utilization))
            .label("cpu_busy_percent", Math.round(busy));
    boolean isWaitTold = disk.waitMs >= 0;
    String waits = isWaitTold ? ", and a request waits " + Math.round(disk.waitMs) + " ms" : "";
    return (isWaitTold ? finding.label("wait_ms", Math.round(disk.waitMs)) : finding)
        .summary(
            "disk %s of %s is busy %.0f %% of the time%s, while its processors are busy %.0f %%",
            name, load.device, disk.utilization, waits, busy);
  }
}
