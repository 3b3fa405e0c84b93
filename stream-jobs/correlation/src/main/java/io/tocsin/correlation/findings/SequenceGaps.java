package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;

/** The gaps of one device; forgotten when it has shown none for five minutes. */
public final class SequenceGaps extends TimedState {
  /** Name of the device. */
  public String device = "";

  /** Place of the device. */
  public String site = "";

  /** What the device is for; empty where nobody says. */
  public String role = "";

  /** Missing messages since the alert was raised. */
  public long missing;

  /** Gaps since then. */
  public long gaps;

  /** When the newest gap showed, Unix nanoseconds. */
  public long newestUnixNanos;

  /** When the alert was emitted last, Unix nanoseconds; 0 before the first time. */
  public long emittedAtUnixNanos;

  /** For Flink, which makes it by its fields. */
  public SequenceGaps() {}
}
