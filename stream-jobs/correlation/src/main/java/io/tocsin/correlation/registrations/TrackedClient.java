package io.tocsin.correlation.registrations;

import java.util.ArrayList;
import java.util.List;

/**
 * All that is remembered of one MAC in one family. Times are Unix nanoseconds.
 *
 * <p>Flink keeps this record field by field, so fields may be added later. It is bounded: at most
 * {@link MessageFold#MAX_MESSAGES} messages three times over, and it is given up when nothing was
 * heard for the time that {@link RegistrationRules} was told.
 *
 * @param base the client by all messages that are older than the allowed lateness
 * @param messages newest ones in order: first those in {@code base} that a copy may still repeat,
 *     then those that are not in it
 * @param absorbedCount how many of {@code messages} are in {@code base}
 * @param clockUnixNanos event time that the stream has reached for this client, by its timers
 * @param version of the transition that was told last; 0 before the first
 * @param timerAtUnixNanos the timer that is set; {@link Client.Lease#NEVER} for none
 * @param waiting lines of a log that are not among {@code messages} yet, see {@link WaitingLines}
 * @param isHeardOnTheWire whether a relay agent or a capture has shown a message of the client
 */
public record TrackedClient(
    Client base,
    List<DhcpMessage> messages,
    int absorbedCount,
    long clockUnixNanos,
    long version,
    long timerAtUnixNanos,
    List<DhcpMessage> waiting,
    boolean isHeardOnTheWire) {

  static final TrackedClient UNKNOWN =
      new TrackedClient(
          Client.UNKNOWN,
          List.of(),
          0,
          Client.Lease.NEVER,
          0,
          Client.Lease.NEVER,
          List.of(),
          false);

  /** State that was written before lines waited has none of them. */
  public TrackedClient {
    waiting = waiting == null ? List.of() : waiting;
  }

  TrackedClient withMessages(
      Client newBase, List<DhcpMessage> newMessages, int absorbed, boolean isOnTheWire) {
    return new TrackedClient(
        newBase,
        newMessages,
        absorbed,
        clockUnixNanos,
        version,
        timerAtUnixNanos,
        waiting,
        isHeardOnTheWire || isOnTheWire);
  }

  TrackedClient at(long unixNanos) {
    return with(Math.max(clockUnixNanos, unixNanos), version, timerAtUnixNanos, waiting);
  }

  TrackedClient told(long newVersion) {
    return with(clockUnixNanos, newVersion, timerAtUnixNanos, waiting);
  }

  TrackedClient waitingUntil(long unixNanos) {
    return with(clockUnixNanos, version, unixNanos, waiting);
  }

  TrackedClient keepingWaiting(DhcpMessage line) {
    List<DhcpMessage> more = new ArrayList<>(waiting);
    more.add(line);
    return with(clockUnixNanos, version, timerAtUnixNanos, more);
  }

  TrackedClient waitingNoMoreFor(List<DhcpMessage> lines) {
    List<DhcpMessage> fewer = new ArrayList<>(waiting);
    fewer.removeAll(lines);
    return with(clockUnixNanos, version, timerAtUnixNanos, fewer);
  }

  private TrackedClient with(
      long clock, long newVersion, long timerAt, List<DhcpMessage> stillWaiting) {
    return new TrackedClient(
        base, messages, absorbedCount, clock, newVersion, timerAt, stillWaiting, isHeardOnTheWire);
  }

  /** Time of the newest message. */
  long newestUnixNanos() {
    return messages.isEmpty()
        ? base.heardAtUnixNanos()
        : messages.get(messages.size() - 1).timeUnixNanos();
  }
}
