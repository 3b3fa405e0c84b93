package io.tocsin.correlation.wan;

import java.util.Arrays;

/** Order statistics of the first values of an array; they may reorder it. */
final class Quantiles {
  private Quantiles() {}

  /** The median, {@link Float#NaN} of nothing. */
  static float median(float[] values, int count) {
    if (count == 0) {
      return Float.NaN;
    }
    Arrays.sort(values, 0, count);
    int middle = count / 2;
    return count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  /** Median of the absolute differences from a centre. */
  static float medianDeviation(float[] values, int count, float centre) {
    for (int i = 0; i < count; i++) {
      values[i] = Math.abs(values[i] - centre);
    }
    return median(values, count);
  }

  /** The least value of at least one. */
  static float least(float[] values, int count) {
    float least = values[0];
    for (int i = 1; i < count; i++) {
      least = Math.min(least, values[i]);
    }
    return least;
  }

  /** The value at a share of the sorted ones, by nearest rank; {@link Float#NaN} of nothing. */
  static float at(double share, float[] values, int count) {
    if (count == 0) {
      return Float.NaN;
    }
    Arrays.sort(values, 0, count);
    int rank = (int) Math.ceil(share * count);
    return values[Math.max(0, Math.min(count - 1, rank - 1))];
  }
}
