package io.tocsin.correlation.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Kind;

/**
 * The episodes of one link, from its probes in the order of their sending: {@link DownDetector},
 * {@link LatencyDetector}, {@link LossDetector} and {@link JitterDetector} say when one opens and
 * closes.
 *
 * <p>An episode begins with the first probe that was bad and ends with the last; deciding takes
 * longer. A step of the least round-trip time that stays is a path change: the baseline moves and
 * the episode closes, see {@link PathChangeDetector}.
 *
 * <p>A gap between probes (an agent that was stopped) is nobody's trouble: windows begin anew,
 * nothing opens and nothing closes.
 *
 * <p>Nothing asks for timers: links are many, and their operator looks at all of them now and then.
 */
public final class LinkRules {
  private static final int LOWER_BLOCKS = 3;
  private static final int GAP_INTERVALS = 4;
  private static final long LEAST_GAP_NANOS = 5 * Nanos.PER_SECOND;
  private static final long REFRESH_NANOS = 60 * Nanos.PER_SECOND;
  private static final long CAUSE_MAY_COME_NANOS = 120 * Nanos.PER_SECOND;

  private final WanSettings settings;
  private final CauseRules causes;
  private final DownDetector down;
  private final LatencyDetector latency;
  private final LossDetector loss;
  private final JitterDetector jitter;
  private final PathChangeDetector pathChange;

  /** Rules with their settings. */
  public LinkRules(WanSettings settings) {
    this.settings = settings;
    this.causes = new CauseRules(settings);
    this.down = new DownDetector(settings);
    this.latency = new LatencyDetector(settings);
    this.loss = new LossDetector(settings);
    this.jitter = new JitterDetector();
    this.pathChange = new PathChangeDetector(settings);
  }

  /** Whether a probe comes too late to be used: the link has gone on without it. */
  public boolean isLate(LinkState link, Probe probe) {
    return link != null && probe.sentAtUnixNanos() <= link.newestUnixNanos;
  }

  /**
   * Takes the next probe of a link; one that is late changes nothing.
   *
   * @param known the link, null before its first probe; it is changed in place
   * @param polls of the interface that it leaves through
   * @param syslog of its device
   * @return the transitions of its episodes; their version is not counted yet
   */
  public Step<LinkState, WanEpisode> onProbe(
      LinkState known, Probe probe, InterfaceHistory polls, SyslogHistory syslog) {
    LinkState link = known == null ? new LinkState() : known;
    if (isLate(known, probe)) {
      return Step.keep(link);
    }
    EpisodeLog log = new EpisodeLog(link, settings);
    take(link, probe);
    down.onProbe(link, log);
    if (link.open(Kind.KIND_DOWN) == null) {
      latency.onProbe(link, log);
      loss.onProbe(link, log);
      jitter.onProbe(link, log);
    }
    if (link.sinceBlock >= Block.PROBES) {
      onBlock(link, log);
    }
    judge(link, polls, syslog, log);
    return new Step<>(link, log.transitions(), Step.NO_TIMER);
  }

  /**
   * Looks at the causes again after a poll of the interface that a link leaves through.
   *
   * @param link changed in place
   */
  public Step<LinkState, WanEpisode> onPoll(
      LinkState link, InterfaceHistory polls, SyslogHistory syslog) {
    EpisodeLog log = new EpisodeLog(link, settings);
    judge(link, polls, syslog, log);
    return new Step<>(link, log.transitions(), Step.NO_TIMER);
  }

  /**
   * Forgets a link without probes for long enough: its episodes close where its probes ended.
   *
   * @param link changed in place
   */
  public Step<LinkState, WanEpisode> onTimer(LinkState link, long nowUnixNanos) {
    if (nowUnixNanos - link.newestUnixNanos < settings.forgetAfterSeconds() * Nanos.PER_SECOND) {
      return Step.keep(link);
    }
    return Step.forget(
        link.episodes.stream()
            .filter(Episode::isOpen)
            .map(episode -> closedWithLink(episode, link, nowUnixNanos))
            .toList());
  }

  private static WanEpisode closedWithLink(Episode episode, LinkState link, long nowUnixNanos) {
    episode.endedAtUnixNanos = link.newestUnixNanos;
    return episode.toMessage(link, link.newestEventId, nowUnixNanos);
  }

  private void take(LinkState link, Probe probe) {
    long gap = probe.sentAtUnixNanos() - link.newestUnixNanos;
    boolean isFirst = link.newestEventId.isEmpty();
    if (!isFirst && gap > Math.max(LEAST_GAP_NANOS, GAP_INTERVALS * probe.intervalNanos())) {
      link.window.keepNewest(0);
      link.sinceBlock = 0;
      link.lastRttMs = Float.NaN;
    }
    link.linkId = probe.linkId();
    link.device = probe.device();
    link.interfaceName = probe.interfaceName();
    link.site = probe.site();
    link.remoteSite = probe.remoteSite();
    link.intervalMs = probe.intervalMs();
    link.newestUnixNanos = probe.sentAtUnixNanos();
    link.newestEventId = probe.eventId();

    float rtt = probe.rttMs();
    float jump = probe.isLost() ? Float.NaN : Math.abs(rtt - link.lastRttMs);
    if (!Float.isNaN(jump)) {
      link.jitterMs += (jump - link.jitterMs) / 16;
    }
    Baseline baseline = link.baseline;
    boolean isWarm = baseline.isWarm();
    float usualMs = link.usualMs(settings);
    boolean isSlow = isWarm && rtt > baseline.slowMs(settings, usualMs);
    boolean isSlowish = isWarm && rtt > baseline.slowishMs(settings, usualMs);
    boolean isJumpy = isWarm && jump > baseline.jumpyMs(settings, link.usualJumpMs(settings));
    link.window.add(rtt, isSlow, isSlowish, isJumpy);
    link.lastRttMs = probe.isLost() ? link.lastRttMs : rtt;
    link.sinceBlock++;
    link.sinceLoss = Math.min(link.sinceLoss + 1, link.window.count);
    for (Episode episode : link.episodes) {
      if (episode.isOpen()) {
        boolean isAffected =
            probe.isLost() || isSlow || episode.kind == Kind.KIND_JITTER && isJumpy;
        episode.add(rtt, isAffected, link.jitterMs);
      }
    }
  }

  private void onBlock(LinkState link, EpisodeLog log) {
    link.sinceBlock = 0;
    Block block = Block.newestOf(link.window);
    if (settings.hourOfWeek() && block.tellsTheLevel()) {
      link.week.learn(block, link.newestUnixNanos, link.intervalMs);
    }
    if (link.isInEpisode()) {
      pathChange.onBlock(link, block, log);
    } else if (block.tellsTheLevel()) {
      learn(link, block);
    }
    loss.onBlock(link, block);
  }

  private void learn(LinkState link, Block block) {
    Baseline baseline = link.baseline;
    if (baseline.isWarm()) {
      float rise = baseline.slowMs(settings) - baseline.medianMs;
      if (block.medianMs() > baseline.medianMs + rise) {
        return;
      }
      boolean isLower = block.medianMs() < baseline.medianMs - rise / 2;
      if (!isLower) {
        link.lowerLevel.clear();
      } else if (link.lowerLevel.size() + 1 < LOWER_BLOCKS) {
        link.lowerLevel.add(block);
      } else {
        link.lowerLevel.add(block);
        baseline.moveTo(link.lowerLevel);
        link.lowerLevel.clear();
        return;
      }
    }
    baseline.add(block);
  }

  private void judge(LinkState link, InterfaceHistory polls, SyslogHistory syslog, EpisodeLog log) {
    if (link.episodes.isEmpty()) {
      return;
    }
    long now = link.newestUnixNanos;
    link.episodes.removeIf(
        episode -> !episode.isOpen() && now - episode.endedAtUnixNanos > CAUSE_MAY_COME_NANOS);
    for (Episode episode : link.episodes) {
      long revision = polls.revision + syslog.revision;
      boolean isChanged = false;
      if (revision != episode.judgedRevision) {
        episode.judgedRevision = revision;
        long until = episode.isOpen() ? now : episode.endedAtUnixNanos;
        isChanged = causes.judge(episode, until, polls, syslog);
      }
      boolean isStale = episode.isOpen() && now - episode.emittedAtUnixNanos >= REFRESH_NANOS;
      if (isChanged || isStale) {
        log.change(episode);
      }
    }
  }
}
