package io.tocsin.correlation.wan.scoring;

import java.util.List;

/** Prints the table of this package's README. */
public final class WanScoring {
  /** The set that the settings were chosen with. */
  static final long TUNING_SEED = 20_261_120;

  /** A set that nobody looked at while choosing. */
  static final long HOLD_OUT_SEED = 7_919;

  static final int SERIES = 240;

  private WanScoring() {}

  /** Detectors of the table, this package's first. */
  static List<Detector> detectors() {
    return List.of(
        new EpisodeDetector(),
        new SmokePingDetector(10, 2, 10, 10, 10),
        new SmokePingDetector(6, 1, 5, 3, 10),
        new SmokePingDetector(3, 1, 20, 2, 15));
  }

  /** The labelled set of a seed. */
  static List<LabelledSeries> set(long seed) {
    return new SeriesGenerator(seed).series(SERIES);
  }

  /** Prints; no arguments. */
  public static void main(String[] args) {
    for (long seed : new long[] {TUNING_SEED, HOLD_OUT_SEED}) {
      List<LabelledSeries> set = set(seed);
      System.out.printf("%nSeed %d, %d series of 25 minutes%n%n", seed, set.size());
      System.out.println(
          "| rules | precision | recall | delay p50 | delay p95 | found | false |\n|---|---|---|---|---|---|---|");
      for (Detector detector : detectors()) {
        Score score = Score.of(detector, set);
        System.out.println(score.row() + (args.length > 0 ? " " + score.missed() : ""));
      }
    }
  }
}
