package io.tocsin.correlation.wan.scoring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What SmokePing's matchers Median and ExpLoss decide, after their manual pages: medians of the old
 * and the new rounds differ by more than a bound, and an exponentially weighted loss whose oldest
 * round counts one in a hundred passes a bound. A round is 20 probes, as SmokePing's default; at a
 * probe a second it ends every 20 s.
 *
 * @param oldRounds for Median
 * @param newRounds for Median
 * @param differenceMs for Median
 * @param lossRounds for ExpLoss
 * @param lossPercent for ExpLoss
 */
record SmokePingDetector(
    int oldRounds, int newRounds, double differenceMs, int lossRounds, double lossPercent)
    implements Detector {
  private static final int ROUND = 20;

  @Override
  public String name() {
    return "Median(old=>%d,new=>%d,diff=>%.0f ms), ExpLoss(hist=>%d,rising=>%.0f)"
        .formatted(oldRounds, newRounds, differenceMs, lossRounds, lossPercent);
  }

  @Override
  public List<Finding> find(float[] rttsMs) {
    int rounds = rttsMs.length / ROUND;
    double[] medians = new double[rounds];
    double[] losses = new double[rounds];
    boolean[] isSlow = new boolean[rounds];
    boolean[] isLossy = new boolean[rounds];
    for (int round = 0; round < rounds; round++) {
      float[] probes = Arrays.copyOfRange(rttsMs, round * ROUND, (round + 1) * ROUND);
      medians[round] = median(answered(probes));
      losses[round] = 100.0 * (ROUND - answered(probes).length) / ROUND;
      if (round + 1 >= oldRounds + newRounds) {
        int split = round + 1 - newRounds;
        double before = median(Arrays.copyOfRange(medians, split - oldRounds, split));
        double now = median(Arrays.copyOfRange(medians, split, round + 1));
        isSlow[round] = Math.abs(before - now) > differenceMs;
      }
      isLossy[round] = expLoss(losses, round) >= lossPercent;
    }
    List<Finding> found = new ArrayList<>(spans("latency", isSlow));
    found.addAll(spans("loss", isLossy));
    return found;
  }

  private double expLoss(double[] losses, int round) {
    double alpha = 1 - Math.pow(0.01, 1.0 / lossRounds);
    int first = Math.max(0, round + 1 - lossRounds);
    double average = 0;
    double sum = 0;
    for (int i = first; i <= round; i++) {
      average = (1 - alpha) * average + alpha * losses[i];
      sum += losses[i];
    }
    int count = round + 1 - first;
    return average + sum / count * Math.pow(1 - alpha, count);
  }

  private static List<Finding> spans(String kind, boolean[] isMatch) {
    List<Finding> spans = new ArrayList<>();
    int from = -1;
    for (int round = 0; round <= isMatch.length; round++) {
      boolean matches = round < isMatch.length && isMatch[round];
      if (matches && from < 0) {
        from = round;
      } else if (!matches && from >= 0) {
        int told = (from + 1) * ROUND;
        spans.add(new Finding(kind, told, from * ROUND, round * ROUND));
        from = -1;
      }
    }
    return spans;
  }

  private static double[] answered(float[] probes) {
    double[] answered = new double[probes.length];
    int count = 0;
    for (float rtt : probes) {
      if (!Float.isNaN(rtt)) {
        answered[count++] = rtt;
      }
    }
    return Arrays.copyOf(answered, count);
  }

  private static double median(double[] values) {
    double[] sorted = Arrays.stream(values).filter(v -> v > 0).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }
}
