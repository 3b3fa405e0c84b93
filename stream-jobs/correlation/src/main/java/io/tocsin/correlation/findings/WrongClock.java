package io.tocsin.correlation.findings;

/** A clock that was out; forgotten when it has said nothing wrong for a while. */
public final class WrongClock {
  /** Whether it is an agent's, else a device's. */
  public boolean isAgents;

  /** Name of the agent or device. */
  public String name = "";

  /** Host of the agent, or the device. */
  public String device = "";

  /** Place of it. */
  public String site = "";

  /** What it is for; empty where nobody says. */
  public String role = "";

  /** How far it was ahead when the present run of readings began, nanoseconds. */
  public long offsetNanos;

  /** When that run began, Unix nanoseconds. */
  public long sinceUnixNanos;

  /** Readings of that run. */
  public long readings;

  /** All readings. */
  public long events;

  /** When the newest reading was made, Unix nanoseconds. */
  public long newestUnixNanos;

  /** When the alert was emitted last, Unix nanoseconds; 0 before the first time. */
  public long emittedAtUnixNanos;

  /** Offset in the alert, nanoseconds. */
  public long emittedOffsetNanos;

  /** For Flink, which makes it by its fields. */
  public WrongClock() {}

  /** Whether the alert is raised. */
  boolean isTold() {
    return emittedAtUnixNanos != 0;
  }
}
