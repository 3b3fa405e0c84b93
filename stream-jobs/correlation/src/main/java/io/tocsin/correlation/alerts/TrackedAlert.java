package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Signal;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * All that is remembered of one fingerprint. Times are Unix nanoseconds; {@link #NEVER} where there
 * is none yet.
 *
 * <p>Flink keeps this record field by field, so fields may be added later. An alert that is over is
 * forgotten after {@link AlertTiming#forgetAfter}: its version is a time, so the next life of the
 * alert has a higher one even if nothing is remembered.
 *
 * @param version of the last transition; 0 for a fingerprint of which nothing but clears was heard
 * @param occurrence what was told as active, null while it is over. While the alert flaps it is
 *     there, even in the moments in which the source says that it is over
 * @param isRaised whether its source says that it is active
 * @param isFlapping whether it was told that it flaps
 * @param newestRaiseUnixNanos event time of the newest signal that said the alert is active
 * @param newestClearUnixNanos event time of the newest signal that said it is over
 * @param heardAtUnixNanos newest receipt of a signal, by the agents' clock
 * @param events hashes of the ids of the newest events, in order of arrival
 * @param openings receipts of the newest raises that opened it, in order
 * @param timerAtUnixNanos the earliest timer that is set, by the agents' clock
 */
public record TrackedAlert(
    long version,
    Occurrence occurrence,
    boolean isRaised,
    boolean isFlapping,
    long newestRaiseUnixNanos,
    long newestClearUnixNanos,
    long heardAtUnixNanos,
    long[] events,
    long[] openings,
    long timerAtUnixNanos) {

  /** Before every possible time. */
  public static final long NEVER = Long.MIN_VALUE;

  /**
   * Least distance of two versions that the life of an alert makes. The gate adds transitions of
   * its own between two of them, and counts these one by one.
   */
  static final long VERSION_STRIDE = 1_000;

  private static final long[] NONE = {};

  static final TrackedAlert UNKNOWN =
      new TrackedAlert(0, null, false, false, NEVER, NEVER, NEVER, NONE, NONE, NEVER);

  /** Unsigned, as on the wire: times after 2262 are negative in Java. */
  static long happenedAt(Signal signal) {
    long eventTime = signal.getEventTimeUnixNanos();
    long receivedAt = signal.getReceivedAtUnixNanos();
    return Long.compareUnsigned(eventTime, receivedAt) > 0 ? receivedAt : eventTime;
  }

  boolean hasHeard(long eventHash) {
    for (long event : events) {
      if (event == eventHash) {
        return true;
      }
    }
    return false;
  }

  /** The newest times move on, whatever else a signal does. */
  TrackedAlert hearing(Signal signal, long eventHash) {
    long time = happenedAt(signal);
    return changed(
        next -> {
          if (signal.getKind() == Signal.Kind.KIND_CLEAR) {
            next.newestClearUnixNanos = Math.max(newestClearUnixNanos, time);
          } else {
            next.newestRaiseUnixNanos = Math.max(newestRaiseUnixNanos, time);
          }
          next.heardAtUnixNanos = Math.max(heardAtUnixNanos, signal.getReceivedAtUnixNanos());
          next.events = appended(events, eventHash, AlertRules.EVENTS_REMEMBERED);
        });
  }

  /** The source says that it is active, and did not before. */
  TrackedAlert raised(Signal signal, int openingsRemembered) {
    long[] newest = appended(openings, signal.getReceivedAtUnixNanos(), openingsRemembered);
    Arrays.sort(newest);
    return changed(
        next -> {
          next.isRaised = true;
          next.openings = newest;
        });
  }

  private static long[] appended(long[] before, long newest, int length) {
    int kept = Math.min(before.length, length - 1);
    long[] after = new long[kept + 1];
    System.arraycopy(before, before.length - kept, after, 0, kept);
    after[kept] = newest;
    return after;
  }

  TrackedAlert cleared() {
    return changed(next -> next.isRaised = false);
  }

  /** Over by silence: only a raise that is no older than the last opens it again. */
  TrackedAlert expired() {
    return changed(
        next -> {
          next.isRaised = false;
          next.newestClearUnixNanos = Math.max(newestClearUnixNanos, newestRaiseUnixNanos);
        });
  }

  TrackedAlert with(Occurrence other) {
    return changed(next -> next.occurrence = other);
  }

  TrackedAlert flapping(boolean flaps) {
    return changed(next -> next.isFlapping = flaps);
  }

  /**
   * The next version: the time by the agents' clock, moved on where it would not grow enough. So
   * versions grow over a loss of this state.
   */
  TrackedAlert told(long nowUnixNanos) {
    return changed(next -> next.version = Math.max(version + VERSION_STRIDE, nowUnixNanos));
  }

  TrackedAlert timerAt(long unixNanos) {
    return changed(next -> next.timerAtUnixNanos = unixNanos);
  }

  /** A timer that has come is not set any more; one that is still to come is. */
  TrackedAlert afterTimerAt(long nowUnixNanos) {
    return timerAtUnixNanos <= nowUnixNanos ? timerAt(NEVER) : this;
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

  /** What is told of the occurrence. */
  Alert alert(AlertTransition transition, AlertState state) {
    Signal newest = occurrence.signal();
    Alert.Builder alert =
        Alert.newBuilder()
            .setFingerprint(Fingerprint.of(newest))
            .putAllFingerprintFields(newest.getFingerprintFieldsMap())
            .setState(state)
            .setTransition(transition)
            .setVersion(version)
            .setSeverity(occurrence.severity())
            .setSource(newest.getSource())
            .setDevice(newest.getDevice())
            .setCheck(newest.getCheck())
            .setSummary(newest.getSummary())
            .setSite(newest.getSite())
            .putAllLabels(newest.getLabelsMap())
            .setFirstSeenUnixNanos(occurrence.firstSeenUnixNanos())
            .setLastSeenUnixNanos(occurrence.lastSeenUnixNanos())
            .setUpdateCount(occurrence.updateCount())
            .setRule(newest.getRule())
            .setRunbook(newest.getRunbook())
            .setEventId(newest.getEventId());
    if (occurrence.expires()) {
      alert.setExpiresAtUnixNanos(occurrence.expiresAtUnixNanos());
    }
    return alert.build();
  }

  private TrackedAlert changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finished();
  }

  /** A copy whose fields can be set. */
  private static final class Draft {
    private long version;
    private Occurrence occurrence;
    private boolean isRaised;
    private boolean isFlapping;
    private long newestRaiseUnixNanos;
    private long newestClearUnixNanos;
    private long heardAtUnixNanos;
    private long[] events;
    private long[] openings;
    private long timerAtUnixNanos;

    Draft(TrackedAlert alert) {
      version = alert.version;
      occurrence = alert.occurrence;
      isRaised = alert.isRaised;
      isFlapping = alert.isFlapping;
      newestRaiseUnixNanos = alert.newestRaiseUnixNanos;
      newestClearUnixNanos = alert.newestClearUnixNanos;
      heardAtUnixNanos = alert.heardAtUnixNanos;
      events = alert.events;
      openings = alert.openings;
      timerAtUnixNanos = alert.timerAtUnixNanos;
    }

    TrackedAlert finished() {
      return new TrackedAlert(
          version,
          occurrence,
          isRaised,
          isFlapping,
          newestRaiseUnixNanos,
          newestClearUnixNanos,
          heardAtUnixNanos,
          events,
          openings,
          timerAtUnixNanos);
    }
  }
}
