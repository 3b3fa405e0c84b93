package io.tocsin.correlation.wan;

import java.util.ArrayList;
import java.util.List;

/**
 * How a link usually is: medians and median absolute deviations over a sliding window of {@link
 * Block}s, 120 of them, which is twenty minutes at a probe a second. Blocks within episodes stay
 * outside, so that an hour of congestion does not become usual.
 *
 * <p>What is slow every Monday at nine is slow by it, and its cause is wanted. {@link WeeklyLevels}
 * is for those who do not want to be told every Monday.
 */
public final class Baseline {
  static final int BLOCKS = 120;

  /** Fewer blocks than this are no baseline: the link warms up. */
  static final int WARM_BLOCKS = 3;

  private static final int WARM_LOSS_BLOCKS = 6;
  private static final int BLOCKS_ON_TRIAL = 6;
  private static final float DEVIATION_OF_MAD = 1.4826f;

  /** Blocks in the window. */
  public int size;

  /** Where the next block goes. */
  public int next;

  /** Medians of the blocks. */
  public float[] mediansMs = new float[BLOCKS];

  /** Median jumps of the blocks. */
  public float[] jumpsMs = new float[BLOCKS];

  /** Least round-trip times of the blocks. */
  public float[] leastsMs = new float[BLOCKS];

  /** Median round-trip time. */
  public float medianMs = Float.NaN;

  /** Median absolute deviation of the blocks' medians. */
  public float madMs;

  /** Usual difference from one round-trip time to the next. */
  public float jumpMs;

  /** Median absolute deviation of it. */
  public float jumpMadMs;

  /** Usual least round-trip time of a block. */
  public float leastMs;

  /** Usual share of lost probes. */
  public double lossRatio;

  /** Blocks that this share was learned from. */
  public int lossBlocks;

  /** Lost probes of the newest blocks, which are judged before they are learned. */
  public List<Integer> lossesOnTrial = new ArrayList<>();

  /** Nothing is known. */
  public Baseline() {}

  boolean isWarm() {
    return size >= WARM_BLOCKS;
  }

  /** Takes a block from outside every episode. */
  void add(Block block) {
    put(block);
    summarize();
  }

  /** Forgets the old level and begins with blocks of the new one. */
  void moveTo(List<Block> blocks) {
    size = 0;
    next = 0;
    blocks.forEach(this::put);
    summarize();
  }

  /**
   * Learns how much is lost outside of episodes: a mean over the last 180 blocks. Once the link is
   * known, a block waits until it has left the window that is judged: a trouble must not become
   * usual while it is not yet told.
   */
  void addLoss(int lost) {
    if (lossBlocks < WARM_LOSS_BLOCKS) {
      learnLoss(lost);
      return;
    }
    lossesOnTrial.add(lost);
    if (lossesOnTrial.size() > BLOCKS_ON_TRIAL) {
      learnLoss(lossesOnTrial.remove(0));
    }
  }

  /** Forgets what was not learned yet: it belongs to an episode. */
  void forgetLossesOnTrial() {
    lossesOnTrial.clear();
  }

  boolean knowsLoss() {
    return lossBlocks >= WARM_LOSS_BLOCKS;
  }

  private void learnLoss(int lost) {
    lossBlocks = Math.min(lossBlocks + 1, 180);
    lossRatio += ((double) lost / Block.PROBES - lossRatio) / lossBlocks;
  }

  private void put(Block block) {
    mediansMs[next] = block.medianMs();
    jumpsMs[next] = block.jumpMs();
    leastsMs[next] = block.leastMs();
    next = (next + 1) % BLOCKS;
    size = Math.min(size + 1, BLOCKS);
  }

  private void summarize() {
    float[] values = new float[size];
    System.arraycopy(mediansMs, 0, values, 0, size);
    medianMs = Quantiles.median(values, size);
    madMs = Quantiles.medianDeviation(values, size, medianMs);
    System.arraycopy(jumpsMs, 0, values, 0, size);
    jumpMs = Quantiles.median(values, size);
    jumpMadMs = Quantiles.medianDeviation(values, size, jumpMs);
    System.arraycopy(leastsMs, 0, values, 0, size);
    leastMs = Quantiles.median(values, size);
  }

  /**
   * Round-trip time from which on a probe is slow. A young baseline is trusted less: its deviation
   * is that of few blocks.
   */
  float slowMs(WanSettings settings) {
    return slowMs(settings, medianMs);
  }

  /** Likewise above another level than the median. */
  float slowMs(WanSettings settings, float levelMs) {
    double trust = 1 + (double) WARM_BLOCKS / size;
    double rise = settings.relativeRise() * trust * levelMs;
    rise = Math.max(rise, settings.leastRiseMs());
    rise = Math.max(rise, settings.deviations() * trust * DEVIATION_OF_MAD * madMs);
    rise = Math.max(rise, 3 * trust * jumpMs);
    return (float) (levelMs + rise);
  }

  /** Round-trip time up to which a probe is as usual again: half way back. */
  float slowishMs(WanSettings settings) {
    return slowishMs(settings, medianMs);
  }

  /** Likewise above another level than the median. */
  float slowishMs(WanSettings settings, float levelMs) {
    return (levelMs + slowMs(settings, levelMs)) / 2;
  }

  /**
   * Difference from one round-trip time to the next from which on it is a jump.
   *
   * @param usualMs usual difference
   */
  float jumpyMs(WanSettings settings, float usualMs) {
    double trust = 1 + (double) WARM_BLOCKS / size;
    double rise = Math.max(settings.leastRiseMs(), settings.relativeRise() / 2 * medianMs);
    rise = Math.max(rise, 2 * trust * usualMs);
    rise = Math.max(rise, settings.deviations() * trust * DEVIATION_OF_MAD * jumpMadMs);
    return (float) (usualMs + rise);
  }
}
