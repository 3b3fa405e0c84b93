package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;
import java.util.HashMap;
import java.util.Map;

/** Disks and processors of one device; forgotten after an hour without a figure. */
public final class HostLoad extends TimedState {
  /** Name of the device. */
  public String device = "";

  /** Place of the device. */
  public String site = "";

  /** What the device is for; empty where nobody says. */
  public String role = "";

  /** By instance; at most 256. */
  public Map<String, DiskLoad> disks = new HashMap<>();

  /** By name and instance of the gauge; at most 1,024. */
  public Map<String, ProcessorShare> processors = new HashMap<>();

  /** Whether the alert is raised. */
  public boolean isRaised;

  /** Disk of the alert that was raised last. */
  public String raisedDisk = "";

  /** When it was raised last, Unix nanoseconds. */
  public long raisedAtUnixNanos;

  /** Newest figure, Unix nanoseconds. */
  public long newestUnixNanos;

  /** For Flink, which makes it by its fields. */
  public HostLoad() {}

  /** What was read of one disk. */
  public static final class DiskLoad {
    /** Share of time in which it had anything to do, percent. */
    public double utilization;

    /** How long a request took, milliseconds; negative where nobody tells. */
    public double waitMs = -1;

    /** Readings in a row that found it busy. */
    public int busyReadings;

    /** Readings in a row that found it at ease. */
    public int calmReadings;

    /** Newest figure of its utilization, Unix nanoseconds. */
    public long readAtUnixNanos;

    /** For Flink, which makes it by its fields. */
    public DiskLoad() {}
  }

  /** How much of its time a processor worked, in one of several ways or in all. */
  public static final class ProcessorShare {
    /** Name of the gauge. */
    public String gauge = "";

    /** Share of time, percent. */
    public double share;

    /** When it was read, Unix nanoseconds. */
    public long readAtUnixNanos;

    /** For Flink, which makes it by its fields. */
    public ProcessorShare() {}
  }
}
