package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;
import java.util.ArrayList;
import java.util.List;

/**
 * The fullest connection table of one device; forgotten after an hour without a poll or a
 * disconnect.
 */
public final class ConnectionTable extends TimedState {
  /** Name of the device. */
  public String device = "";

  /** Place of the device. */
  public String site = "";

  /** What the device is for; empty where nobody says. */
  public String role = "";

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

  /** Disconnects within a minute in the alert; 0 where there are none in it. */
  public int mostDisconnects;

  /** Whether the alert is raised. */
  public boolean isRaised;

  /** When it was raised last, Unix nanoseconds. */
  public long raisedAtUnixNanos;

  /** Newest poll or disconnect, Unix nanoseconds. */
  public long newestUnixNanos;

  /** For Flink, which makes it by its fields. */
  public ConnectionTable() {}
}
