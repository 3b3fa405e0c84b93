package io.tocsin.correlation.wan.scoring;

import java.util.List;

/**
 * Probes of one link, one a second, and what is wrong with it when.
 *
 * @param name shape of the noise and number
 * @param rttsMs round-trip times, {@link Float#NaN} where lost
 * @param troubles in order of time
 */
record LabelledSeries(String name, float[] rttsMs, List<Trouble> troubles) {

  /** What can be wrong, as it is made. */
  enum Shape {
    STEP,
    RAMP,
    BURSTS,
    SAWTOOTH,
    NOISY_STEP,
    PATH_CHANGE,
    LOSS,
    LOSS_IN_BURSTS,
    JITTER,
    DOWN,
    SATURATION
  }

  /**
   * One span of trouble.
   *
   * @param shape what it looks like
   * @param from first second, inclusive
   * @param to last second, exclusive
   */
  record Trouble(Shape shape, int from, int to) {}
}
