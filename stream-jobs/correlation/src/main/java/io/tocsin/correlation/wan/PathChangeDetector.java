package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.WanEpisode.Cause;
import io.tocsin.wan.v1.WanEpisode.Kind;

/**
 * A path change is a step of the least round-trip time that stays, with the noise of before and
 * without loss; a full queue wanders, drops, and shows at the interface. The baseline moves to the
 * new level and the episode of latency closes.
 */
final class PathChangeDetector {
  private final WanSettings settings;

  PathChangeDetector(WanSettings settings) {
    this.settings = settings;
  }

  void onBlock(LinkState link, Block block, EpisodeLog log) {
    Episode latency = link.open(Kind.KIND_LATENCY);
    if (latency == null) {
      return;
    }
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
      log.change(latency);
    }
    if (latency.newLevel.size() >= needed) {
      baseline.moveTo(latency.newLevel);
      link.week.clear();
      latency.newLevel.clear();
      latency.endedAtUnixNanos = link.newestUnixNanos;
      log.change(latency);
      link.window.slow = 0;
      link.window.slowish = 0;
      link.window.jumpy = 0;
    }
  }
}
