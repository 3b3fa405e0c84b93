package io.tocsin.correlation.wan;

/**
 * Ten probes in a row, which the baseline takes as one: their median has a tenth of the noise and
 * the memory.
 *
 * @param medianMs of the round-trip times
 * @param jumpMs median of the differences from one round-trip time to the next
 * @param leastMs least round-trip time
 * @param lost probes without an answer
 */
public record Block(float medianMs, float jumpMs, float leastMs, int lost) {
  static final int PROBES = 10;

  /** Fewer answers than this say nothing about the level. */
  private static final int LEAST_ANSWERS = 5;

  /** The block of the newest probes of a window. */
  static Block newestOf(ProbeWindow window) {
    float[] rtts = new float[PROBES];
    float[] jumps = new float[PROBES];
    int answers = 0;
    int steps = 0;
    float previous = Float.NaN;
    for (int age = PROBES - 1; age >= 0; age--) {
      float rtt = window.rttMs(age);
      if (!Float.isNaN(rtt)) {
        rtts[answers++] = rtt;
        if (!Float.isNaN(previous)) {
          jumps[steps++] = Math.abs(rtt - previous);
        }
        previous = rtt;
      }
    }
    float least = answers == 0 ? Float.NaN : Quantiles.least(rtts, answers);
    return new Block(
        Quantiles.median(rtts, answers), Quantiles.median(jumps, steps), least, PROBES - answers);
  }

  boolean tellsTheLevel() {
    return PROBES - lost >= LEAST_ANSWERS;
  }
}
