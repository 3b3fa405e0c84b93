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

  /** Polls in a row that found it nearly full. */
  public int fullPolls;

  /** Polls in a row that found room. */
  public int roomyPolls;

  /** Disconnects within a minute that the alert tells of; 0 where it tells of none. */
  public int mostDisconnects;

  /** Whether the alert is raised. */
  public boolean isRaised;

  /** When something was heard last, Unix nanoseconds. */
  public long heardAtUnixNanos;

  /** For Flink, which makes it by its fields. */
  public ConnectionTable() {}
}
