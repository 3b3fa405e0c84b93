package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.TimedState;
import java.util.Arrays;
import java.util.List;

/**
 * All that is remembered of one fingerprint. Times are Unix nanoseconds; {@link #NEVER} where there
 * is none yet.
 *
 * <p>An alert that is over is forgotten after {@link AlertTiming#forgetAfter}: its version is a
 * time, so the next occurrence of the alert has a higher one even if nothing is remembered.
 */
public final class TrackedAlert extends TimedState {
  /** Before every possible time. */
  public static final long NEVER = Long.MIN_VALUE;

  /**
   * Least distance of two versions that the alert rules make. The gate adds transitions of its own
   * between two of them, and counts these one by one.
   */
  static final long VERSION_STRIDE = 1_000;

  /** How many events of an alert are known again when they are delivered twice. */
  static final int EVENTS_REMEMBERED = 8;

  /** Of the last transition; 0 for a fingerprint of which nothing but clears was received. */
  public long version;

  /**
   * What was told as active, null while it is over. While the alert flaps it is there, even in the
   * moments in which the source says that it is over.
   */
  public Occurrence occurrence;

  /** Of an alert that has ended, for its tombstone; empty before. */
  public String fingerprint = "";

  /** Whether its source says that it is active. */
  public boolean isRaised;

  /** Whether it was told that it flaps. */
  public boolean isFlapping;

  /**
   * How far the clock that its signals tell their time by is behind the agents'; 0 for one that is
   * right.
   */
  public long clockBehindNanos;

  /** Event time of the newest signal that said the alert is active. */
  public long newestRaiseUnixNanos = NEVER;

  /** Event time of the newest signal that said it is over. */
  public long newestClearUnixNanos = NEVER;

  /** Newest receipt of a signal, by the agents' clock. */
  public long receivedAtUnixNanos = NEVER;

  /** Hashes of the ids of the newest events, in order of arrival. */
  public long[] events = {};

  /** Receipts of the newest raises that opened it, in order. */
  public long[] openings = {};

  /** Nothing is known. */
  public TrackedAlert() {}

  /**
   * When a signal happened, by the agents' clock. Times that one clock tells are comparable, so a
   * clock that is out by more than a bound is set right by how far it is behind, and its signals
   * keep their order; the first signal of another clock happened when it was received.
   *
   * <p>Nothing happens after it was received. Unsigned, as on the wire: times after 2262 are
   * negative in Java.
   */
  long happenedAt(Signal signal, long maxClockDeviationNanos) {
    long eventTime = signal.getEventTimeUnixNanos();
    long receivedAt = signal.getReceivedAtUnixNanos();
    boolean isAhead = Long.compareUnsigned(eventTime, receivedAt) > 0;
    long behind = isAhead ? 0 : receivedAt - eventTime;
    if (Math.abs(behind - clockBehindNanos) > maxClockDeviationNanos) {
      clockBehindNanos = behind > maxClockDeviationNanos ? behind : 0;
    }
    return receivedAt - behind + clockBehindNanos;
  }

  boolean isRepeated(long eventHash) {
    return HashedIds.contains(events, eventHash);
  }

  /** The newest times move on, whatever else a signal does. */
  void receive(Signal signal, long time, long eventHash) {
    if (signal.getKind() == Signal.Kind.KIND_CLEAR) {
      newestClearUnixNanos = Math.max(newestClearUnixNanos, time);
    } else {
      newestRaiseUnixNanos = Math.max(newestRaiseUnixNanos, time);
    }
    receivedAtUnixNanos = Math.max(receivedAtUnixNanos, signal.getReceivedAtUnixNanos());
    events = HashedIds.appended(events, eventHash, EVENTS_REMEMBERED);
  }

  /** The source says that it is active, and did not before. */
  void raise(Signal signal, int openingsRemembered) {
    isRaised = true;
    openings = HashedIds.appended(openings, signal.getReceivedAtUnixNanos(), openingsRemembered);
    Arrays.sort(openings);
  }

  /** Over by silence: only a raise that is no older than the last opens it again. */
  void expire() {
    isRaised = false;
    newestClearUnixNanos = Math.max(newestClearUnixNanos, newestRaiseUnixNanos);
  }

  /**
   * The next version: the time by the agents' clock, moved on where it would not grow enough. So
   * versions grow over a loss of this state.
   */
  void nextVersion(long nowUnixNanos) {
    version = Math.max(version + VERSION_STRIDE, nowUnixNanos);
  }

  /** Openings in the window that ends with the newest one. */
  int opensWithin(long windowNanos) {
    long newest = openings[openings.length - 1];
    return (int) Arrays.stream(openings).filter(opening -> newest - opening < windowNanos).count();
  }

  /** The opening before so many newest ones, or the oldest that is remembered. */
  long openingBefore(int newest) {
    return openings[Math.max(0, openings.length - 1 - newest)];
  }

  /** The occurrence as an alert. */
  Alert alert(AlertTransition transition, AlertState state) {
    Signal newest = occurrence.signal();
    Alert.Builder alert =
        Alert.newBuilder()
            .setFingerprint(Fingerprint.of(newest))
            .putAllFingerprintFields(newest.getFingerprintFieldsMap())
            .setState(state)
            .setTransition(transition)
            .setVersion(version)
            .setSeverity(occurrence.severity)
            .setSource(newest.getSource())
            .setDevice(newest.getDevice())
            .setCheck(newest.getCheck())
            .setSummary(newest.getSummary())
            .setSite(newest.getSite())
            .putAllLabels(newest.getLabelsMap())
            .setFirstSeenUnixNanos(occurrence.firstSeenUnixNanos)
            .setLastSeenUnixNanos(occurrence.lastSeenUnixNanos)
            .setUpdateCount(occurrence.updateCount)
            .setRule(newest.getRule())
            .setRunbook(newest.getRunbook())
            .setEventId(newest.getEventId())
            .addAllRaisedBy(List.of(occurrence.raisedBy));
    if (newest.hasRulePushedAtUnixNanos()) {
      alert.setRulePushedAtUnixNanos(newest.getRulePushedAtUnixNanos());
    }
    if (occurrence.expires()) {
      alert.setExpiresAtUnixNanos(occurrence.expiresAtUnixNanos);
    }
    return alert.build();
  }
}
