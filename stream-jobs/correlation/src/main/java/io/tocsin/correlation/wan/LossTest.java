package io.tocsin.correlation.wan;

/**
 * How many lost probes are too many to be chance: the binomial tail, so that a link that usually
 * loses one in a hundred is not held to the standard of one that loses none.
 */
final class LossTest {
  /** What a link is taken to lose before it has shown it, and never less. */
  private static final double LEAST_USUAL_RATIO = 0.001;

  /** A learned share is itself uncertain. */
  private static final double MARGIN = 1.3;

  private LossTest() {}

  /** The share to test against. */
  static double usualRatio(Baseline baseline) {
    return Math.min(0.9, Math.max(LEAST_USUAL_RATIO, MARGIN * baseline.lossRatio));
  }

  /**
   * Least number of lost probes whose probability is below a bound.
   *
   * @param probes in the window
   * @param usualRatio of lost ones
   * @param probability of as many or more by chance
   * @return {@code probes + 1} where even all of them could be chance
   */
  static int tooMany(int probes, double usualRatio, double probability) {
    double tail = Math.pow(usualRatio, probes);
    double term = tail;
    int lost = probes;
    if (tail >= probability) {
      return probes + 1;
    }
    while (lost > 1) {
      term *= lost / (probes - lost + 1.0) * (1 - usualRatio) / usualRatio;
      tail += term;
      if (tail >= probability) {
        return lost;
      }
      lost--;
    }
    return lost;
  }
}
