package io.tocsin.correlation.wan;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Sees that a place is unreachable: every link to it that is known, and at least two, went down
 * within a minute. The episodes of all of them are emitted again with that cause. Where another
 * link to the place still answers, or the interface of the link itself is down, the place is not to
 * blame.
 *
 * <p>All episodes pass here, and here their versions are counted.
 */
public final class RemoteSiteRules
    implements KeyedRules<LinkUpdate, RemoteSite, RemoteSiteRules.Transition> {
  /** How long a closed episode is remembered, so that the version of a late cause goes on. */
  static final long FORGET_CLOSED_NANOS = 300 * Nanos.PER_SECOND;

  private static final int LEAST_LINKS = 2;
  private static final long TOGETHER_NANOS = 60 * Nanos.PER_SECOND;

  /**
   * A transition of an episode.
   *
   * @param episode with its version
   * @param isLateCause whether the episode was over before: nobody is alerted of that
   */
  public record Transition(WanEpisode episode, boolean isLateCause) {}

  @Override
  public Step<RemoteSite, Transition> onInput(RemoteSite known, LinkUpdate update) {
    RemoteSite site = known == null ? new RemoteSite() : known;
    if (update.isRemoved()) {
      site.links.remove(update.linkId());
    } else {
      site.links.merge(update.linkId(), update.atUnixNanos(), Math::max);
    }
    List<Transition> decisions =
        update.episode().length == 0 ? List.of() : onEpisode(site, parse(update.episode()));
    return next(site, decisions);
  }

  private static List<Transition> onEpisode(RemoteSite site, WanEpisode episode) {
    RemoteSite.Tracked tracked =
        site.episodes.computeIfAbsent(episode.getEpisodeId(), id -> new RemoteSite.Tracked());
    boolean isLateCause = tracked.isClosed;
    tracked.linkId = episode.getLinkId();
    tracked.newest = episode.toByteArray();
    tracked.startedAtUnixNanos = episode.getStartedAtUnixNanos();
    tracked.changedAtUnixNanos = episode.getChangedAtUnixNanos();
    tracked.isClosed = episode.getState() == WanEpisode.State.STATE_CLOSED;
    tracked.isDown = episode.getKind() == WanEpisode.Kind.KIND_DOWN && !isCutOffHere(episode);

    if (!tracked.isDown || tracked.isClosed || !isUnreachable(site)) {
      return List.of(new Transition(nextVersion(site, tracked, episode), isLateCause));
    }
    List<Transition> decisions = new ArrayList<>();
    for (RemoteSite.Tracked down : openDowns(site)) {
      if (down == tracked || down.cause != Cause.CAUSE_REMOTE_UNREACHABLE) {
        down.cause = Cause.CAUSE_REMOTE_UNREACHABLE;
        decisions.add(new Transition(nextVersion(site, down, episode), false));
      }
    }
    return decisions;
  }

  /** Forgets episodes that are over for long enough. */
  @Override
  public Step<RemoteSite, Transition> onTimer(RemoteSite site, long nowUnixNanos) {
    site.episodes.values().removeIf(episode -> forgottenAt(episode) <= nowUnixNanos);
    return next(site, List.of());
  }

  private static Step<RemoteSite, Transition> next(RemoteSite site, List<Transition> decisions) {
    long timer =
        site.episodes.values().stream()
            .mapToLong(RemoteSiteRules::forgottenAt)
            .min()
            .orElse(Step.NO_TIMER);
    return site.isEmpty() ? Step.forget(decisions) : new Step<>(site, decisions, timer);
  }

  private static long forgottenAt(RemoteSite.Tracked episode) {
    return episode.isClosed ? episode.changedAtUnixNanos + FORGET_CLOSED_NANOS : Step.NO_TIMER;
  }

  private static boolean isCutOffHere(WanEpisode episode) {
    return episode.getEvidenceList().stream()
        .anyMatch(evidence -> evidence.getName().equals("interface_down"));
  }

  private static boolean isUnreachable(RemoteSite site) {
    List<RemoteSite.Tracked> downs = openDowns(site);
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (RemoteSite.Tracked down : downs) {
      first = Math.min(first, down.startedAtUnixNanos);
      last = Math.max(last, down.startedAtUnixNanos);
    }
    List<String> names = downs.stream().map(down -> down.linkId).toList();
    return downs.size() >= LEAST_LINKS
        && last - first <= TOGETHER_NANOS
        && names.containsAll(site.links.keySet());
  }

  /** Links that are down, in order of their names. */
  private static List<RemoteSite.Tracked> openDowns(RemoteSite site) {
    TreeMap<String, RemoteSite.Tracked> downs = new TreeMap<>();
    for (RemoteSite.Tracked tracked : site.episodes.values()) {
      if (tracked.isDown && !tracked.isClosed) {
        downs.put(tracked.linkId, tracked);
      }
    }
    return List.copyOf(downs.values());
  }

  private static WanEpisode nextVersion(
      RemoteSite site, RemoteSite.Tracked tracked, WanEpisode because) {
    WanEpisode.Builder next = parse(tracked.newest).toBuilder();
    tracked.version++;
    next.setVersion(tracked.version);
    if (tracked.cause == Cause.CAUSE_REMOTE_UNREACHABLE) {
      List<String> names = openDowns(site).stream().map(down -> down.linkId).toList();
      next.setCause(tracked.cause)
          .setChangedAtUnixNanos(
              Math.max(next.getChangedAtUnixNanos(), because.getChangedAtUnixNanos()))
          .addEvidence(
              Evidence.newBuilder()
                  .setName("links_down")
                  .setValue(names.size())
                  .setUnit("links")
                  .setText(String.join(", ", names))
                  .setObservedAtUnixNanos(because.getChangedAtUnixNanos()));
    }
    return next.build();
  }

  private static WanEpisode parse(byte[] bytes) {
    try {
      return WanEpisode.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("state holds what it wrote itself", e);
    }
  }
}
