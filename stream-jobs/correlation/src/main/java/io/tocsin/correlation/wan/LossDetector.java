package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.ProbeWindow.among;
import static io.tocsin.correlation.wan.ProbeWindow.newest;

import io.tocsin.wan.v1.WanEpisode.Kind;

/**
 * <b>loss</b> opens when more of the last 15 or 60 probes are lost than chance explains at the
 * link's usual share. It closes after as many answers as the episode's own loss would not leave by
 * chance.
 */
final class LossDetector {
  static final int UNKNOWN_LOSS_LIMIT = Integer.MAX_VALUE;

  private static final int SHORT_LOSS_WINDOW = 15;
  private static final int LONG_LOSS_WINDOW = 60;
  private static final double LOSS_RATIO_WHILE_WARMING = 0.3;
  private static final double CHANCE_OF_QUIET = 1e-3;

  private final WanSettings settings;

  LossDetector(WanSettings settings) {
    this.settings = settings;
  }

  void onProbe(LinkState link, EpisodeLog log) {
    Episode loss = link.open(Kind.KIND_LOSS);
    if (loss == null) {
      openIfTooMuch(link, log);
      return;
    }
    ProbeWindow window = link.window;
    double ratio = Math.min(0.9, Math.max(0.1, (double) loss.lost / Math.max(1, loss.probes)));
    int quiet = (int) Math.ceil(Math.log(CHANCE_OF_QUIET) / Math.log(1 - ratio));
    quiet = Math.max(Block.PROBES, Math.min(LONG_LOSS_WINDOW, quiet));
    double usual = LossTest.usualRatio(link.baseline) * quiet;
    int allowed = (int) Math.floor(usual + 2 * Math.sqrt(usual) - 0.5);
    if (window.count >= quiet && among(window.lost, quiet) <= Math.max(0, allowed)) {
      log.closeAfterNewest(loss, window.lost & ~newest(quiet));
      link.sinceLoss = quiet;
    }
  }

  private void openIfTooMuch(LinkState link, EpisodeLog log) {
    ProbeWindow window = link.window;
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
      log.open(Kind.KIND_LOSS, ProbeWindow.ageOfOldest(window.lost, reach) + 1, window.lost);
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

  /** Learns how much is usually lost, outside of episodes. */
  void onBlock(LinkState link, Block block) {
    if (link.open(Kind.KIND_LOSS) != null || link.open(Kind.KIND_DOWN) != null) {
      return;
    }
    link.baseline.addLoss(block.lost());
    double usual = LossTest.usualRatio(link.baseline);
    double chance = settings.falseLossProbability();
    link.tooManyLostOf15 = LossTest.tooMany(SHORT_LOSS_WINDOW, usual, chance);
    link.tooManyLostOf60 = LossTest.tooMany(LONG_LOSS_WINDOW, usual, chance);
  }
}
