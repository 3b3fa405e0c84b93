package io.tocsin.correlation.registrations;

import java.util.List;

/**
 * All that is remembered of one MAC in one family. Times are Unix nanoseconds.
 *
 * <p>Flink keeps this record field by field, so fields may be added later. It is bounded: at most
 * {@link MessageFold#MAX_MESSAGES} messages twice over, and it is given up when nothing was heard
 * for the time that {@link RegistrationRules} was told.
 *
 * @param base the client by all messages that are older than the allowed lateness
 * @param messages newest ones in order: first those in {@code base} that a copy may still repeat,
 *     then those that are not in it
 * @param absorbedCount how many of {@code messages} are in {@code base}
 * @param clockUnixNanos event time that the stream has reached for this client, by its timers
 * @param version of the transition that was told last; 0 before the first
 * @param timerAtUnixNanos the timer that is set; {@link Client.Lease#NEVER} for none
 */
public record TrackedClient(
    Client base,
    List<DhcpMessage> messages,
    int absorbedCount,
    long clockUnixNanos,
    long version,
    long timerAtUnixNanos) {

  static final TrackedClient UNKNOWN =
      new TrackedClient(Client.UNKNOWN, List.of(), 0, Client.Lease.NEVER, 0, Client.Lease.NEVER);

  TrackedClient withMessages(Client newBase, List<DhcpMessage> newMessages, int absorbed) {
    return new TrackedClient(
        newBase, newMessages, absorbed, clockUnixNanos, version, timerAtUnixNanos);
  }

  TrackedClient at(long unixNanos) {
    return new TrackedClient(
        base,
        messages,
        absorbedCount,
        Math.max(clockUnixNanos, unixNanos),
        version,
        timerAtUnixNanos);
  }

  TrackedClient told(long newVersion) {
    return new TrackedClient(
        base, messages, absorbedCount, clockUnixNanos, newVersion, timerAtUnixNanos);
  }

  TrackedClient waitingUntil(long unixNanos) {
    return new TrackedClient(base, messages, absorbedCount, clockUnixNanos, version, unixNanos);
  }

  /** Time of the newest message. */
  long newestUnixNanos() {
    return messages.isEmpty()
        ? base.heardAtUnixNanos()
        : messages.get(messages.size() - 1).timeUnixNanos();
  }
}
