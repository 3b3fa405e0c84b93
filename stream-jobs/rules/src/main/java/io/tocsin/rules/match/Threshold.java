package io.tocsin.rules.match;

import io.tocsin.alerts.v1.Signal;
import java.util.Optional;

/**
 * A limit with hysteresis: N figures in a row beyond {@code raiseAt} raise, N in a row beyond
 * {@code clearAt} on the other side clear. In between nothing changes, so a figure that wavers
 * about its limit makes one alert.
 *
 * @param raiseAt limit that a figure must pass, upwards or downwards
 * @param clearAt limit that it must pass on its way back
 * @param isUpward a high figure is bad
 * @param consecutive N, at least 1
 */
public record Threshold(double raiseAt, double clearAt, boolean isUpward, int consecutive) {
  /**
   * What a figure means.
   *
   * @param state to keep; null for a figure that is calm and was calm, so calm ones cost no state
   * @param signal what to say; a raise is repeated for as long as it holds
   */
  public record Judgement(Hysteresis state, Optional<Signal.Kind> signal) {}

  /**
   * Judges a figure.
   *
   * @param before what was kept of the figures before, null for nothing; what is forgotten by then
   *     is nothing
   * @param figure the new one
   * @param unixNanos when it was polled; one that is not newer than the one before changes nothing
   */
  public Judgement judge(Hysteresis before, double figure, long unixNanos) {
    boolean isKnown = before != null && !before.isForgottenAt(unixNanos);
    Hysteresis known = isKnown ? before : Hysteresis.CALM;
    if (unixNanos <= known.newestUnixNanos()) {
      return new Judgement(before, Optional.empty());
    }
    boolean isBad = isUpward ? figure > raiseAt : figure < raiseAt;
    boolean isGood = isUpward ? figure < clearAt : figure > clearAt;
    return known.isRaised()
        ? judgeRaised(known, isGood, unixNanos)
        : judgeCalm(known, isBad, unixNanos);
  }

  private Judgement judgeCalm(Hysteresis known, boolean isBad, long unixNanos) {
    if (!isBad) {
      return new Judgement(null, Optional.empty());
    }
    int inARow = known.consecutive() + 1;
    return inARow < consecutive
        ? new Judgement(new Hysteresis(false, inARow, unixNanos), Optional.empty())
        : new Judgement(new Hysteresis(true, 0, unixNanos), Optional.of(Signal.Kind.KIND_RAISE));
  }

  private Judgement judgeRaised(Hysteresis known, boolean isGood, long unixNanos) {
    int inARow = isGood ? known.consecutive() + 1 : 0;
    return inARow < consecutive
        ? new Judgement(
            new Hysteresis(true, inARow, unixNanos), Optional.of(Signal.Kind.KIND_RAISE))
        : new Judgement(null, Optional.of(Signal.Kind.KIND_CLEAR));
  }
}
