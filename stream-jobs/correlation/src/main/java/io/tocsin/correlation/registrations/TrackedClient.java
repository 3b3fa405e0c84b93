package io.tocsin.correlation.registrations;

import io.tocsin.correlation.TimedState;
import java.util.ArrayList;
import java.util.List;

/**
 * All that is remembered of one MAC in one family. Times are Unix nanoseconds.
 *
 * <p>It is bounded: at most {@link MessageFold#MAX_MESSAGES} messages three times over, and it is
 * given up after the silence that {@link RegistrationRules} was told.
 */
public final class TrackedClient extends TimedState implements Cloneable {
  /** The client by all messages that are older than the allowed lateness. */
  public Client base = new Client();

  /**
   * Newest messages in order: first those in {@code base} that a copy may still repeat, then those
   * that are not in it.
   */
  public List<DhcpMessage> messages = new ArrayList<>();

  /** How many of {@code messages} are in {@code base}. */
  public int absorbedCount;

  /** Event time that the stream has reached for this client, by its timers. */
  public long clockUnixNanos = Client.Lease.NEVER;

  /** Version of the last transition; 0 before the first. */
  public long version;

  /** Lines of a log that are not among {@code messages} yet, see {@link WaitingLines}. */
  public List<DhcpMessage> waiting = new ArrayList<>();

  /** Whether a relay agent or a capture has shown a message of the client. */
  public boolean isOnTheWire;

  /** Null where all messages are to be folded. */
  transient Folded folded;

  /** Nothing is known. */
  public TrackedClient() {}

  /** A copy that a message can be tried on: its lists and its base are replaced, not changed. */
  TrackedClient copy() {
    try {
      TrackedClient copy = (TrackedClient) clone();
      copy.folded = null;
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("a client can be copied", e);
    }
  }

  /** Time of the newest message. */
  long newestUnixNanos() {
    return messages.isEmpty()
        ? base.newestUnixNanos
        : messages.get(messages.size() - 1).timeUnixNanos();
  }
}
