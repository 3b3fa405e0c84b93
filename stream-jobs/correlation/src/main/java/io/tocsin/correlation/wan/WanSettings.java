package io.tocsin.correlation.wan;

import java.io.Serializable;

/**
 * What the rules for links can be told. Windows are in probes where a share is judged, because a
 * share of three probes means little however long they took.
 *
 * @param relativeRise of the baseline that is no latency yet: 0.2 for a fifth
 * @param leastRiseMs that is called latency or jitter, whatever the baseline
 * @param deviations median absolute deviations (as standard deviations) that are no latency yet
 * @param leastLossRatio that is called loss, whatever the link usually loses
 * @param falseLossProbability of the losses in one window by chance, at the link's usual share
 * @param downSeconds without any answer until a link is down
 * @param pathChangeProbes for which the least round-trip time must stay after its step
 * @param saturatedLoad of the outgoing interface from which on it is full, 0 to 1
 * @param forgetAfterSeconds without a probe after which a link is forgotten
 * @param hourOfWeek whether what is usual at this hour of the week is no latency and no jitter
 */
public record WanSettings(
    double relativeRise,
    double leastRiseMs,
    double deviations,
    double leastLossRatio,
    double falseLossProbability,
    int downSeconds,
    int pathChangeProbes,
    double saturatedLoad,
    int forgetAfterSeconds,
    boolean hourOfWeek)
    implements Serializable {

  private static final int SHORT_WINDOW_MS = 10_000;
  private static final int LEAST_DOWN_PROBES = 3;
  private static final int MOST_DOWN_PROBES = 30;

  /** What the jobs run with. */
  public static WanSettings defaults() {
    return new WanSettings(0.2, 2, 8, 0.1, 2e-6, 5, 60, 0.85, 3_600, false);
  }

  /** The same, with what is usual at each hour of the week. */
  public WanSettings byHourOfWeek() {
    return new WanSettings(
        relativeRise,
        leastRiseMs,
        deviations,
        leastLossRatio,
        falseLossProbability,
        downSeconds,
        pathChangeProbes,
        saturatedLoad,
        forgetAfterSeconds,
        true);
  }

  /** Probes in the short window: those of ten seconds, at least 5 and at most 20. */
  int shortWindowProbes(int intervalMs) {
    return Math.max(5, Math.min(20, SHORT_WINDOW_MS / intervalMs));
  }

  /** Lost probes in a row that make a link down, where it usually loses none. */
  int downProbes(int intervalMs) {
    int probes = (downSeconds * 1_000 + intervalMs - 1) / intervalMs;
    return Math.max(LEAST_DOWN_PROBES, Math.min(MOST_DOWN_PROBES, probes));
  }

  /** Blocks for which the least round-trip time must stay after its step. */
  int pathChangeBlocks() {
    return Math.max(2, pathChangeProbes / Block.PROBES);
  }
}
