package io.tocsin.correlation.registrations.findings;

/**
 * How latencies are spread: counts in slots whose bounds grow by a quarter each, from 0.1 ms to
 * some minutes.
 *
 * <p>Not a library's histogram: HdrHistogram counts in whole numbers, so old ones cannot weigh
 * less, and the stores of DDSketch are no types that Flink keeps field by field.
 */
public final class Latencies {
  private static final double LEAST_MS = 0.1;
  private static final double SLOTS_PER_DOUBLING = 3;

  /** Counts of each slot; fractions where old ones weigh less. */
  public double[] counts = new double[64];

  /** None. */
  public Latencies() {}

  /** All of two spreads. */
  static Latencies sum(Latencies one, Latencies other) {
    Latencies sum = new Latencies();
    sum.addAll(one);
    sum.addAll(other);
    return sum;
  }

  void add(double ms) {
    double doublings = Math.log(Math.max(ms, LEAST_MS) / LEAST_MS) / Math.log(2);
    counts[(int) Math.min(counts.length - 1, Math.floor(doublings * SLOTS_PER_DOUBLING))]++;
  }

  void addAll(Latencies others) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += others.counts[i];
    }
  }

  void weigh(double factor) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] *= factor;
    }
  }

  double count() {
    double sum = 0;
    for (double count : counts) {
      sum += count;
    }
    return sum;
  }

  /** Upper bound of the slot that a quantile lies in, milliseconds; 0 where there are none. */
  double quantileMs(double quantile) {
    double left = quantile * count();
    for (int i = 0; i < counts.length; i++) {
      left -= counts[i];
      if (counts[i] > 0 && left <= 0) {
        return LEAST_MS * Math.pow(2, (i + 1) / SLOTS_PER_DOUBLING);
      }
    }
    return 0;
  }
}
