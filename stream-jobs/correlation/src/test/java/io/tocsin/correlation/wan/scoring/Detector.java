package io.tocsin.correlation.wan.scoring;

import java.util.List;

/** Something that finds trouble in a series. */
interface Detector {
  /** Name for the table. */
  String name();

  /** What it finds in a series of one probe a second, in order of opening. */
  List<Finding> find(float[] rttsMs);

  /**
   * What was found.
   *
   * @param kind what it is called
   * @param openedAt second in which it was told
   * @param startedAt second in which it is said to have begun
   * @param endedAt second in which it is said to have ended; the last one where it lasts
   */
  record Finding(String kind, int openedAt, int startedAt, int endedAt) {}
}
