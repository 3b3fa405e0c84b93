package io.tocsin.correlation.wan;

/**
 * The last 64 probes of a link. Each kind of trouble is a bit a probe, the newest lowest, so that a
 * share within any window is a mask and a population count.
 */
public final class ProbeWindow {
  static final int SIZE = Long.SIZE;

  /** Probes in it. */
  public int count;

  /** Probes without an answer. */
  public long lost;

  /** Probes over the threshold at which latency opens. */
  public long slow;

  /** Probes over the threshold at which latency closes. */
  public long slowish;

  /** Probes that differ from the one before by more than jitter's threshold. */
  public long jumpy;

  /** Round-trip times as a ring, {@link Float#NaN} where lost. */
  public float[] rttsMs = new float[SIZE];

  /** Where the next one goes. */
  public int next;

  /** Nothing is known. */
  public ProbeWindow() {}

  void add(float rttMs, boolean isSlow, boolean isSlowish, boolean isJumpy) {
    count = Math.min(count + 1, SIZE);
    lost = lost << 1 | (Float.isNaN(rttMs) ? 1 : 0);
    slow = slow << 1 | (isSlow ? 1 : 0);
    slowish = slowish << 1 | (isSlowish ? 1 : 0);
    jumpy = jumpy << 1 | (isJumpy ? 1 : 0);
    rttsMs[next] = rttMs;
    next = (next + 1) % SIZE;
  }

  /** Forgets all but the newest probes. */
  void keepNewest(int probes) {
    count = Math.min(count, probes);
    long mask = newest(probes);
    lost &= mask;
    slow &= mask;
    slowish &= mask;
    jumpy &= mask;
  }

  /** Round-trip time of the probe that many before the newest. */
  float rttMs(int age) {
    return age < count ? rttsMs[Math.floorMod(next - 1 - age, SIZE)] : Float.NaN;
  }

  /** Mask of the newest probes. */
  static long newest(int probes) {
    return probes >= SIZE ? -1L : (1L << Math.max(0, probes)) - 1;
  }

  /** How many of the newest probes have their bit set. */
  static int among(long bits, int probes) {
    return Long.bitCount(bits & newest(probes));
  }

  int answersAmong(int probes) {
    int within = Math.min(probes, count);
    return within - among(lost, within);
  }

  /** Lost probes at the end of the window without an answer between them. */
  int lostRun() {
    return Math.min(count, Long.numberOfTrailingZeros(~lost));
  }

  /**
   * Lost probes of which a run counts as three at most, and a single run as none: ten that are lost
   * together are one event, not ten.
   */
  int lossEventsAmong(int probes) {
    long within = lost & newest(Math.min(probes, count));
    int runs = Long.bitCount(within & ~(within >>> 1));
    return runs < 2 ? 0 : Long.bitCount(within & ~(within >>> 1 & within >>> 2 & within >>> 3));
  }

  /** Age of the newest probe with its bit set, {@link #SIZE} where there is none. */
  static int ageOfNewest(long bits) {
    return Long.numberOfTrailingZeros(bits);
  }

  /** Age of the oldest probe with its bit set among the newest, -1 where there is none. */
  static int ageOfOldest(long bits, int probes) {
    return SIZE - 1 - Long.numberOfLeadingZeros(bits & newest(probes));
  }

  /** Round-trip time at a share of those among the newest probes. */
  float quantileMs(double share, int probes) {
    float[] answered = new float[SIZE];
    int answers = 0;
    for (int age = 0; age < Math.min(probes, count); age++) {
      float rtt = rttMs(age);
      if (!Float.isNaN(rtt)) {
        answered[answers++] = rtt;
      }
    }
    return Quantiles.at(share, answered, answers);
  }
}
