package io.tocsin.correlation.alerts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;

/**
 * One life of an alert, from the raise that opened it. Times are Unix nanoseconds.
 *
 * @param newestRaise bytes of the {@link Signal} that says how the alert looks: they are read only
 *     when there is something to tell
 * @param severity of the newest raise
 * @param toldSeverity of the last transition
 * @param firstSeenUnixNanos event time of the oldest raise
 * @param lastSeenUnixNanos event time of the newest raise
 * @param updateCount raises, the opening one included
 * @param toldAtUnixNanos event time of the raise that caused the last transition
 * @param expiresAtUnixNanos by the agents' clock; {@link Long#MAX_VALUE} where it does not expire
 */
public record Occurrence(
    byte[] newestRaise,
    Severity severity,
    Severity toldSeverity,
    long firstSeenUnixNanos,
    long lastSeenUnixNanos,
    long updateCount,
    long toldAtUnixNanos,
    long expiresAtUnixNanos) {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  static Occurrence of(Signal signal) {
    long time = TrackedAlert.happenedAt(signal);
    return new Occurrence(
        signal.toByteArray(),
        signal.getSeverity(),
        signal.getSeverity(),
        time,
        time,
        1,
        time,
        expiresAt(signal));
  }

  /** Counts a raise in; only the newest one says how the alert looks. */
  Occurrence raised(Signal signal) {
    long time = TrackedAlert.happenedAt(signal);
    boolean isNewest = time >= lastSeenUnixNanos;
    return new Occurrence(
        isNewest ? signal.toByteArray() : newestRaise,
        isNewest ? signal.getSeverity() : severity,
        toldSeverity,
        Math.min(firstSeenUnixNanos, time),
        Math.max(lastSeenUnixNanos, time),
        updateCount + 1,
        toldAtUnixNanos,
        isNewest ? expiresAt(signal) : expiresAtUnixNanos);
  }

  /** The same after a transition that a raise of this event time caused. */
  Occurrence toldAt(long unixNanos) {
    return new Occurrence(
        newestRaise,
        severity,
        severity,
        firstSeenUnixNanos,
        lastSeenUnixNanos,
        updateCount,
        unixNanos,
        expiresAtUnixNanos);
  }

  private static long expiresAt(Signal signal) {
    int seconds = signal.getExpiresAfterSeconds();
    return seconds == 0
        ? Long.MAX_VALUE
        : signal.getReceivedAtUnixNanos() + Integer.toUnsignedLong(seconds) * NANOS_PER_SECOND;
  }

  /** Tells whether it ends by silence. */
  public boolean expires() {
    return expiresAtUnixNanos != Long.MAX_VALUE;
  }

  /** The newest raise. */
  public Signal signal() {
    try {
      return Signal.parseFrom(newestRaise);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of an alert holds bytes that are no signal", e);
    }
  }
}
