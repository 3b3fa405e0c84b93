package io.tocsin.correlation.findings;

import java.util.ArrayList;
import java.util.List;

/**
 * The fullest connection table of one device; forgotten after an hour without a poll or a
 * disconnect.
 */
public final class ConnectionTable {
  /** Place of the device. */
  public String site = "";

  /** Name of the gauge. */
  public String gauge = "";

  /** Which of the gauges of that name, empty where there is one. */
  public String instance = "";

  /** Newest value of it. */
  public double value;

  /** Newest limit of it. */
  public double limit;

  /** When it was polled, Unix nanoseconds. */
  public long polledAtUnixNanos;

  /** When connections were cut within the last minute, Unix nanoseconds; at most 1,000. */
  public List<Long> disconnectsUnixNanos = new ArrayList<>();

  /** Most disconnects within a minute since the alert was raised. */
  public int mostDisconnects;

  /** Newest disconnect that was part of a burst, Unix nanoseconds. */
  public long burstAtUnixNanos;

  /** Whether the alert is raised. */
  public boolean isRaised;

  /** When something was heard last, Unix nanoseconds. */
  public long heardAtUnixNanos;

  /** For Flink, which makes it by its fields. */
  public ConnectionTable() {}
}
