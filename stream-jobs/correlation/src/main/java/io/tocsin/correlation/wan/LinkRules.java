package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.ProbeWindow.among;
import static io.tocsin.correlation.wan.ProbeWindow.newest;

import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Cause;
import io.tocsin.wan.v1.WanEpisode.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * The episodes of one link, from its probes in the order of their sending.
 *
 * <ul>
 *   <li><b>latency</b> opens when most answers of the short window (ten seconds) are slower than
 *       the baseline allows, or two in five of three short windows, so that traffic in bursts is
 *       seen. It closes when a short window has come half way back.
 *   <li><b>loss</b> opens when more of the last 15 or 60 probes are lost than chance explains at
 *       the link's usual share. It closes after as many answers as the episode's own loss would not
 *       leave by chance.
 *   <li><b>jitter</b> opens when most of the last 15 answers differ from the one before by more
 *       than usual; not within latency, of which it is a part.
 *   <li><b>down</b> opens when nothing is answered for so long that the loss before does not
 *       explain it, and closes with the third answer of five. It ends all other episodes: there is
 *       nothing to measure.
 * </ul>
 *
 * <p>An episode begins with the first probe that was bad and ends with the last; deciding takes
 * longer. A step of the least round-trip time that stays is a path change: the baseline moves and
 * the episode closes.
 *
 * <p>A gap between probes (an agent that was stopped) is nobody's trouble: windows begin anew,
 * nothing opens and nothing closes.
 */
public final class LinkRules {
  static final int UNKNOWN_LOSS_LIMIT = Integer.MAX_VALUE;

  private static final double MOST = 0.6;
  private static final double MANY = 0.4;
  private static final double FEW = 0.2;
  private static final int SHORT_LOSS_WINDOW = 15;
  private static final int LONG_LOSS_WINDOW = 60;
  private static final double LOSS_RATIO_WHILE_WARMING = 0.3;
  private static final int JITTER_WINDOW = 15;
  private static final double CHANCE_OF_A_RUN = 1e-4;
  private static final double CHANCE_OF_QUIET = 1e-3;
  private static final int ANSWERS_THAT_END_DOWN = 3;
  private static final int PROBES_THAT_END_DOWN = 5;
  private static final int LOWER_BLOCKS = 3;
  private static final int GAP_INTERVALS = 4;
  private static final long LEAST_GAP_NANOS = 5_000_000_000L;
  private static final long REFRESH_NANOS = 60_000_000_000L;
  private static final long CAUSE_MAY_COME_NANOS = 120_000_000_000L;

  private final WanSettings settings;
  private final CauseRules causes;

  /** Rules with their settings. */
  public LinkRules(WanSettings settings) {
    this.settings = settings;
    this.causes = new CauseRules(settings);
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
   */
  public Step onProbe(LinkState known, Probe probe, InterfaceHistory polls, SyslogHistory syslog) {
    LinkState link = known == null ? new LinkState() : known;
    if (isLate(known, probe)) {
      return new Step(link, List.of());
    }
    List<Episode> told = new ArrayList<>();
    hear(link, probe);
    followDown(link, told);
    if (link.open(Kind.KIND_DOWN) == null) {
      followLatency(link, told);
      followLoss(link, told);
      followJitter(link, told);
    }
    if (link.sinceBlock >= Block.PROBES) {
      onBlock(link, told);
    }
    judge(link, polls, syslog, told);
    return new Step(link, messages(link, told));
  }

  /**
   * Looks at the causes again after a poll of the interface that a link leaves through.
   *
   * @param link changed in place
   */
  public List<WanEpisode> onPoll(LinkState link, InterfaceHistory polls, SyslogHistory syslog) {
    List<Episode> told = new ArrayList<>();
    judge(link, polls, syslog, told);
    return messages(link, told);
  }

  /**
   * Ends a link of which nothing is heard any more: its episodes close where its probes ended.
   *
   * @return nothing while it is not yet time
   */
  public List<WanEpisode> onSilence(LinkState link, long nowUnixNanos) {
    List<WanEpisode> told = new ArrayList<>();
    for (Episode episode : link.episodes) {
      if (episode.isOpen()) {
        episode.endedAtUnixNanos = link.newestUnixNanos;
        told.add(episode.toMessage(link, link.newestEventId, nowUnixNanos));
      }
    }
    return told;
  }

  /** Whether a link has been silent for so long that it is forgotten. */
  public boolean isForgotten(LinkState link, long nowUnixNanos) {
    return nowUnixNanos - link.newestUnixNanos >= settings.forgetAfterSeconds() * 1_000_000_000L;
  }

  private void hear(LinkState link, Probe probe) {
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

  private void followDown(LinkState link, List<Episode> told) {
    ProbeWindow window = link.window;
    Episode down = link.open(Kind.KIND_DOWN);
    if (down != null) {
      if (window.answersAmong(PROBES_THAT_END_DOWN) >= ANSWERS_THAT_END_DOWN) {
        int answers = ProbeWindow.ageOfOldest(~window.lost, PROBES_THAT_END_DOWN) + 1;
        close(link, down, timeOf(link, answers - 1), answers, told);
        window.keepNewest(answers);
      }
      return;
    }
    int run = window.lostRun();
    if (run > 0 && run >= downRun(link, run)) {
      long startedAt = timeOf(link, run - 1);
      for (Episode episode : List.copyOf(link.episodes)) {
        if (episode.isOpen()) {
          close(link, episode, startedAt, run, told);
        }
      }
      open(link, Kind.KIND_DOWN, run, window.lost, told);
    }
  }

  /** Lost probes in a row that the loss before them does not explain. */
  private int downRun(LinkState link, int run) {
    ProbeWindow window = link.window;
    int least = settings.downProbes(link.intervalMs);
    int before = window.count - run;
    int lostBefore = Long.bitCount(window.lost) - run;
    if (before < Block.PROBES || lostBefore < 2) {
      return least;
    }
    double ratio = Math.min(0.95, (double) lostBefore / before);
    int unlikely = (int) Math.ceil(Math.log(CHANCE_OF_A_RUN) / Math.log(ratio));
    return Math.min(ProbeWindow.SIZE / 2, Math.max(least, unlikely));
  }

  private void followLatency(LinkState link, List<Episode> told) {
    ProbeWindow window = link.window;
    int shortWindow = settings.shortWindowProbes(link.intervalMs);
    int answers = window.answersAmong(shortWindow);
    Episode latency = link.open(Kind.KIND_LATENCY);
    if (latency == null) {
      int slow = among(window.slow, shortWindow);
      int slowOfMany = among(window.slow, 3 * shortWindow);
      boolean isMost = slow >= Math.max(MOST * answers, MANY * shortWindow);
      boolean isMany =
          slowOfMany >= shortWindow
              && slowOfMany >= MANY * window.answersAmong(3 * shortWindow)
              && slow > 0;
      if (isMost || isMany) {
        int reach = isMost ? shortWindow : 3 * shortWindow;
        int began = ProbeWindow.ageOfOldest(window.slow, Math.min(reach, window.count)) + 1;
        open(link, Kind.KIND_LATENCY, began, window.slow | window.lost, told);
        Episode jitter = link.open(Kind.KIND_JITTER);
        if (jitter != null) {
          close(link, jitter, timeOf(link, began - 1), began, told);
        }
      }
      return;
    }
    boolean isQuiet =
        window.count >= shortWindow
            && answers * 2 >= shortWindow
            && among(window.slowish, shortWindow) <= FEW * answers
            && among(window.slowish, 2 * shortWindow)
                <= MANY * window.answersAmong(2 * shortWindow);
    if (isQuiet) {
      closeAfterNewest(link, latency, window.slowish, told);
      window.slow = 0;
    }
  }

  private void followLoss(LinkState link, List<Episode> told) {
    ProbeWindow window = link.window;
    Episode loss = link.open(Kind.KIND_LOSS);
    if (loss == null) {
      if (window.lostRun() > 0 && window.lostRun() == Long.bitCount(window.lost)) {
        // One run that lasts: it ends as an answer or as down.
        return;
      }
      int reach = 0;
      if (isTooMuch(link, link.tooManyLostOf15, SHORT_LOSS_WINDOW)) {
        reach = Math.min(link.sinceLoss, SHORT_LOSS_WINDOW);
      } else if (isTooMuch(link, link.tooManyLostOf60, LONG_LOSS_WINDOW)) {
        reach = Math.min(link.sinceLoss, LONG_LOSS_WINDOW);
      }
      if (reach > 0) {
        int began = ProbeWindow.ageOfOldest(window.lost, reach) + 1;
        open(link, Kind.KIND_LOSS, began, window.lost, told);
      }
      return;
    }
    double ratio = Math.min(0.9, Math.max(0.1, (double) loss.lost / Math.max(1, loss.probes)));
    int quiet = (int) Math.ceil(Math.log(CHANCE_OF_QUIET) / Math.log(1 - ratio));
    quiet = Math.max(Block.PROBES, Math.min(LONG_LOSS_WINDOW, quiet));
    double usual = LossTest.usualRatio(link.baseline) * quiet;
    int allowed = (int) Math.floor(usual + 2 * Math.sqrt(usual) - 0.5);
    if (window.count >= quiet && among(window.lost, quiet) <= Math.max(0, allowed)) {
      closeAfterNewest(link, loss, window.lost & ~newest(quiet), told);
      link.sinceLoss = quiet;
    }
  }

  private boolean isTooMuch(LinkState link, int limit, int probes) {
    int lost = link.window.lossEventsAmong(Math.min(probes, link.sinceLoss));
    int within = Math.min(probes, Math.max(SHORT_LOSS_WINDOW, link.sinceLoss));
    double least = link.baseline.knowsLoss() ? settings.leastLossRatio() : LOSS_RATIO_WHILE_WARMING;
    return lost >= limit(limit, probes) && lost >= least * within;
  }

  private int limit(int learned, int probes) {
    return learned != UNKNOWN_LOSS_LIMIT
        ? learned
        : LossTest.tooMany(
            probes, LossTest.usualRatio(new Baseline()), settings.falseLossProbability());
  }

  private void followJitter(LinkState link, List<Episode> told) {
    ProbeWindow window = link.window;
    int answers = window.answersAmong(JITTER_WINDOW);
    int jumpy = among(window.jumpy, JITTER_WINDOW);
    Episode jitter = link.open(Kind.KIND_JITTER);
    if (jitter == null) {
      boolean isMost = jumpy >= MOST * Math.max(answers, JITTER_WINDOW * 2 / 3);
      if (isMost && link.open(Kind.KIND_LATENCY) == null) {
        int began = ProbeWindow.ageOfOldest(window.jumpy, JITTER_WINDOW) + 1;
        open(link, Kind.KIND_JITTER, began, window.jumpy | window.lost, told);
      }
    } else if (window.count >= JITTER_WINDOW && jumpy <= FEW * answers) {
      closeAfterNewest(link, jitter, window.jumpy, told);
      window.jumpy = 0;
    }
  }

  private void onBlock(LinkState link, List<Episode> told) {
    link.sinceBlock = 0;
    Block block = Block.newestOf(link.window);
    if (settings.hourOfWeek() && block.tellsTheLevel()) {
      link.week.learn(block, link.newestUnixNanos, link.intervalMs);
    }
    Episode latency = link.open(Kind.KIND_LATENCY);
    if (latency != null) {
      followNewLevel(link, latency, block, told);
    } else if (!link.isInEpisode() && block.tellsTheLevel()) {
      learn(link, block);
    }
    if (link.open(Kind.KIND_LOSS) == null && link.open(Kind.KIND_DOWN) == null) {
      link.baseline.addLoss(block.lost());
      double usual = LossTest.usualRatio(link.baseline);
      double chance = settings.falseLossProbability();
      link.tooManyLostOf15 = LossTest.tooMany(SHORT_LOSS_WINDOW, usual, chance);
      link.tooManyLostOf60 = LossTest.tooMany(LONG_LOSS_WINDOW, usual, chance);
    }
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

  /**
   * A path change is a step of the least round-trip time that stays, with the noise of before and
   * without loss; a full queue wanders, drops, and shows at the interface.
   */
  private void followNewLevel(LinkState link, Episode latency, Block block, List<Episode> told) {
    Baseline baseline = link.baseline;
    double step = block.leastMs() - baseline.leastMs;
    double rise = baseline.slowishMs(settings) - baseline.medianMs;
    boolean isCalm =
        block.lost() == 0
            && block.jumpMs() <= Math.max(2 * baseline.jumpMs, 0.1 * step) + 0.5
            && latency.cause != Cause.CAUSE_EGRESS_SATURATED;
    if (!isCalm || step < rise) {
      latency.newLevel.clear();
      return;
    }
    if (!latency.newLevel.isEmpty()) {
      double first = latency.newLevel.get(0).leastMs();
      double tolerance = Math.max(1, Math.max(0.1 * step, 3 * baseline.jumpMs));
      if (Math.abs(block.leastMs() - first) > tolerance) {
        latency.newLevel.clear();
      }
    }
    latency.newLevel.add(block);
    int needed = settings.pathChangeBlocks();
    if (latency.newLevel.size() * 2 < needed) {
      return;
    }
    if (CauseRules.rank(latency.cause) < CauseRules.rank(Cause.CAUSE_PATH_CHANGE)) {
      latency.cause = Cause.CAUSE_PATH_CHANGE;
      latency.evidence.removeIf(fact -> fact.name().startsWith("min_rtt_"));
      long at = link.newestUnixNanos;
      latency.evidence.add(
          Fact.figure("min_rtt_before_ms", baseline.leastMs, "ms", "", latency.startedAtUnixNanos));
      latency.evidence.add(Fact.figure("min_rtt_after_ms", block.leastMs(), "ms", "", at));
      tell(latency, told);
    }
    if (latency.newLevel.size() >= needed) {
      baseline.moveTo(latency.newLevel);
      link.week.clear();
      latency.newLevel.clear();
      latency.endedAtUnixNanos = link.newestUnixNanos;
      tell(latency, told);
      link.window.slow = 0;
      link.window.slowish = 0;
      link.window.jumpy = 0;
    }
  }

  private void open(LinkState link, Kind kind, int probes, long affected, List<Episode> told) {
    ProbeWindow window = link.window;
    int within = Math.min(probes, window.count);
    Episode episode = new Episode();
    episode.kind = kind;
    episode.startedAtUnixNanos = timeOf(link, within - 1);
    episode.baselineMs = link.baseline.isWarm() ? link.usualMs(settings) : 0;
    episode.baselineMadMs = link.baseline.isWarm() ? link.baseline.madMs : 0;
    episode.probes = within;
    episode.lost = among(window.lost, within);
    episode.affected = among(affected, within);
    episode.jitterMs = link.jitterMs;
    for (int age = 0; age < within; age++) {
      float rtt = window.rttMs(age);
      episode.peakMs = Float.isNaN(rtt) ? episode.peakMs : Math.max(episode.peakMs, rtt);
    }
    link.episodes.add(episode);
    if (kind == Kind.KIND_LOSS || kind == Kind.KIND_DOWN) {
      link.baseline.forgetLossesOnTrial();
    }
    tell(episode, told);
  }

  /** Closes after the newest affected probe; what came after it was as usual. */
  private void closeAfterNewest(LinkState link, Episode episode, long bits, List<Episode> told) {
    int after = Math.min(ProbeWindow.ageOfNewest(bits), link.window.count);
    close(link, episode, timeOf(link, Math.max(0, after - 1)), after, told);
  }

  private void close(
      LinkState link, Episode episode, long endedAtUnixNanos, int probesAfter, List<Episode> told) {
    episode.endedAtUnixNanos = Math.max(episode.startedAtUnixNanos + 1, endedAtUnixNanos);
    int after = (int) Math.min(probesAfter, episode.probes - 1);
    if (after > 0) {
      episode.probes -= after;
      episode.lost -= among(link.window.lost, after);
      episode.affected -= among(link.window.lost | link.window.slow, after);
      episode.lost = Math.max(0, episode.lost);
      episode.affected = Math.max(episode.lost, episode.affected);
    }
    tell(episode, told);
  }

  private void judge(
      LinkState link, InterfaceHistory polls, SyslogHistory syslog, List<Episode> told) {
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
      boolean isStale = episode.isOpen() && now - episode.toldAtUnixNanos >= REFRESH_NANOS;
      if (isChanged || isStale) {
        tell(episode, told);
      }
    }
  }

  private static void tell(Episode episode, List<Episode> told) {
    if (!told.contains(episode)) {
      told.add(episode);
    }
  }

  private List<WanEpisode> messages(LinkState link, List<Episode> told) {
    List<WanEpisode> messages = new ArrayList<>(told.size());
    for (Episode episode : told) {
      episode.toldAtUnixNanos = link.newestUnixNanos;
      if (episode.isOpen() && episode.kind != Kind.KIND_DOWN) {
        addPercentiles(link, episode);
      }
      messages.add(episode.toMessage(link, link.newestEventId, link.newestUnixNanos));
    }
    return messages;
  }

  private void addPercentiles(LinkState link, Episode episode) {
    int window = 3 * settings.shortWindowProbes(link.intervalMs);
    int probes = (int) Math.min(window, episode.probes);
    float median = link.window.quantileMs(0.5, probes);
    episode.evidence.removeIf(fact -> fact.name().endsWith("_rtt_ms"));
    if (!Float.isNaN(median)) {
      long at = link.newestUnixNanos;
      float p95 = link.window.quantileMs(0.95, probes);
      episode.evidence.add(Fact.figure("p50_rtt_ms", median, "ms", "", at));
      episode.evidence.add(Fact.figure("p95_rtt_ms", p95, "ms", "", at));
    }
  }

  /** When the probe of an age was sent, by the configured interval. */
  private static long timeOf(LinkState link, int age) {
    return link.newestUnixNanos - age * link.intervalMs * 1_000_000L;
  }
}
