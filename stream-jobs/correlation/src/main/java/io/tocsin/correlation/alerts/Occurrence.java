package io.tocsin.correlation.alerts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Nanos;
import java.util.Arrays;

/** One occurrence of an alert, from the raise that opened it. Times are Unix nanoseconds. */
public final class Occurrence {
  /** How many of the first events that raised it are told, and how many of the newest. */
  private static final int FIRST_EVENTS = 4;

  static final int MOST_EVENTS = 2 * FIRST_EVENTS;

  /**
   * Bytes of the {@link Signal} that says how the alert looks: they are read only when there is
   * something to emit.
   */
  public byte[] newestRaise = {};

  /** Severity of the newest raise. */
  public Severity severity = Severity.SEVERITY_UNSPECIFIED;

  /** Severity of the last transition. */
  public Severity emittedSeverity = Severity.SEVERITY_UNSPECIFIED;

  /** Event time of the oldest raise. */
  public long firstSeenUnixNanos;

  /** Event time of the newest raise. */
  public long lastSeenUnixNanos;

  /** Raises, the opening one included. */
  public long updateCount;

  /** Event time of the raise that caused the last transition. */
  public long emittedAtUnixNanos;

  /** By the agents' clock; {@link Long#MAX_VALUE} where it does not expire. */
  public long expiresAtUnixNanos;

  /** Ids of the first events that raised it and of the newest, in order of arrival. */
  public String[] raisedBy = {};

  /** For Flink, which makes it by its fields. */
  public Occurrence() {}

  static Occurrence of(Signal signal, long time) {
    Occurrence occurrence = new Occurrence();
    occurrence.firstSeenUnixNanos = time;
    occurrence.lastSeenUnixNanos = occurrence.firstSeenUnixNanos;
    occurrence.raise(signal, time);
    return occurrence;
  }

  /** Counts a raise in; only the newest one says how the alert looks. */
  void raise(Signal signal, long time) {
    if (time >= lastSeenUnixNanos) {
      newestRaise = signal.toByteArray();
      severity = signal.getSeverity();
      lastSeenUnixNanos = time;
      expiresAtUnixNanos = expiresAt(signal);
    }
    firstSeenUnixNanos = Math.min(firstSeenUnixNanos, time);
    updateCount++;
    raisedBy = withEvent(raisedBy, signal.getEventId());
  }

  /** Where there are too many, the oldest after the first ones goes. */
  private static String[] withEvent(String[] before, String newest) {
    if (newest.isEmpty()) {
      return before;
    }
    if (before.length < MOST_EVENTS) {
      String[] after = Arrays.copyOf(before, before.length + 1);
      after[before.length] = newest;
      return after;
    }
    String[] after = before.clone();
    System.arraycopy(before, FIRST_EVENTS + 1, after, FIRST_EVENTS, FIRST_EVENTS - 1);
    after[MOST_EVENTS - 1] = newest;
    return after;
  }

  /** A transition was emitted that a raise of this event time caused. */
  void emittedAt(long unixNanos) {
    emittedSeverity = severity;
    emittedAtUnixNanos = unixNanos;
  }

  private static long expiresAt(Signal signal) {
    int seconds = signal.getExpiresAfterSeconds();
    return seconds == 0
        ? Long.MAX_VALUE
        : signal.getReceivedAtUnixNanos() + Integer.toUnsignedLong(seconds) * Nanos.PER_SECOND;
  }

  /** Tells whether it ends by silence. */
  boolean expires() {
    return expiresAtUnixNanos != Long.MAX_VALUE;
  }

  /** The newest raise. */
  Signal signal() {
    try {
      return Signal.parseFrom(newestRaise);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of an alert holds bytes that are no signal", e);
    }
  }
}
