package io.tocsin.correlation.wan;

import io.tocsin.correlation.TimedState;
import io.tocsin.wan.v1.WanEpisode.Cause;
import java.util.HashMap;
import java.util.Map;

/**
 * The links to one place at the other end, and their episodes. A link without a remote site is a
 * place of its own. An episode is forgotten {@link RemoteSiteRules#FORGET_CLOSED_NANOS} after its
 * last transition, a link when {@link LinkRules} forgets it.
 */
public final class RemoteSite extends TimedState {
  /** Newest update of each link, Unix nanoseconds, by link. */
  public Map<String, Long> links = new HashMap<>();

  /** Episodes by their id. */
  public Map<String, Tracked> episodes = new HashMap<>();

  /** Nothing is known. */
  public RemoteSite() {}

  /** Whether nothing is left to remember. */
  boolean isEmpty() {
    return links.isEmpty() && episodes.isEmpty();
  }

  /** One episode, as it was emitted. */
  public static final class Tracked {
    /** Name of the link. */
    public String linkId = "";

    /** The newest transition as bytes of a WanEpisode. */
    public byte[] newest = {};

    /** Transitions emitted. */
    public long version;

    /** Cause that this stage found, unspecified where it found none. */
    public Cause cause = Cause.CAUSE_UNSPECIFIED;

    /** Whether the link is down by it. */
    public boolean isDown;

    /** When it began, Unix nanoseconds. */
    public long startedAtUnixNanos;

    /** When it changed last, Unix nanoseconds. */
    public long changedAtUnixNanos;

    /** Whether it is over. */
    public boolean isClosed;

    /** For Flink, which makes it by its fields. */
    public Tracked() {}
  }
}
