package io.tocsin.correlation.wan.scoring;

import io.tocsin.correlation.wan.scoring.Detector.Finding;
import io.tocsin.correlation.wan.scoring.LabelledSeries.Shape;
import io.tocsin.correlation.wan.scoring.LabelledSeries.Trouble;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How well a detector did on a set. A trouble is found when an episode was told within it, or up to
 * 15 s after it; a telling outside of all troubles is false. After a path change the level stays,
 * and so a telling there is false too.
 *
 * @param name of the detector
 * @param troubles labelled
 * @param foundTroubles of them
 * @param findings told
 * @param trueFindings of them, within a trouble
 * @param delays seconds from the beginning of each found trouble to the telling, sorted
 * @param missed how many of each shape were not found
 */
record Score(
    String name,
    int troubles,
    int foundTroubles,
    int findings,
    int trueFindings,
    List<Integer> delays,
    Map<Shape, Integer> missed) {
  private static final int AFTER = 15;

  /** Scores a detector. */
  static Score of(Detector detector, List<LabelledSeries> set) {
    int troubles = 0;
    int found = 0;
    int findings = 0;
    int trueFindings = 0;
    List<Integer> delays = new ArrayList<>();
    Map<Shape, Integer> missed = new EnumMap<>(Shape.class);
    for (LabelledSeries series : set) {
      List<Finding> told = detector.find(series.rttsMs());
      troubles += series.troubles().size();
      findings += told.size();
      for (Finding finding : told) {
        if (series.troubles().stream().anyMatch(trouble -> isWithin(finding, trouble))) {
          trueFindings++;
        }
      }
      for (Trouble trouble : series.troubles()) {
        var first =
            told.stream()
                .filter(finding -> isWithin(finding, trouble))
                .mapToInt(Finding::openedAt)
                .min();
        if (first.isPresent()) {
          found++;
          delays.add(first.getAsInt() - trouble.from());
        } else {
          missed.merge(trouble.shape(), 1, Integer::sum);
        }
      }
    }
    Collections.sort(delays);
    return new Score(detector.name(), troubles, found, findings, trueFindings, delays, missed);
  }

  private static boolean isWithin(Finding finding, Trouble trouble) {
    return finding.openedAt() >= trouble.from() && finding.openedAt() < trouble.to() + AFTER;
  }

  double precision() {
    return findings == 0 ? 1 : (double) trueFindings / findings;
  }

  double recall() {
    return troubles == 0 ? 1 : (double) foundTroubles / troubles;
  }

  /** Delay at a share of the found troubles, seconds. */
  int delay(double share) {
    return delays.isEmpty()
        ? 0
        : delays.get(Math.min(delays.size() - 1, (int) (share * delays.size())));
  }

  /** A row of the README's table. */
  String row() {
    return "| %s | %.3f | %.3f | %d s | %d s | %d of %d | %d |"
        .formatted(
            name,
            precision(),
            recall(),
            delay(0.5),
            delay(0.95),
            foundTroubles,
            troubles,
            findings - trueFindings);
  }
}
