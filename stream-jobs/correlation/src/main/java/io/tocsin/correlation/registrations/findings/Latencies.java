package io.tocsin.correlation.registrations.findings;

/**
 * How latencies are spread: counts in slots whose bounds grow by a quarter each, from 0.1 ms to
 * some minutes. Immutable.
 *
 * @param counts of each slot; fractions where old ones weigh less
 */
public record Latencies(double[] counts) {
  static final Latencies NONE = new Latencies(new double[64]);

  private static final double LEAST_MS = 0.1;
  private static final double SLOTS_PER_DOUBLING = 3;

  Latencies plus(double ms) {
    double[] more = counts.clone();
    more[slotOf(ms)]++;
    return new Latencies(more);
  }

  Latencies plus(Latencies others) {
    double[] more = counts.clone();
    for (int i = 0; i < more.length; i++) {
      more[i] += others.counts[i];
    }
    return new Latencies(more);
  }

  Latencies weighed(double factor) {
    double[] less = counts.clone();
    for (int i = 0; i < less.length; i++) {
      less[i] *= factor;
    }
    return new Latencies(less);
  }

  private int slotOf(double ms) {
    double doublings = Math.log(Math.max(ms, LEAST_MS) / LEAST_MS) / Math.log(2);
    return (int) Math.min(counts.length - 1, Math.floor(doublings * SLOTS_PER_DOUBLING));
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
