package io.tocsin.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Signal;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

class ThresholdTest {
  private static final Threshold CONNECTIONS = new Threshold(0.9, 0.8, true, 3);

  @Test
  void raisesAtTheThirdFigureInARowAndRepeatsItWhileItHolds() {
    assertThat(told(CONNECTIONS, 0.95, 0.95, 0.95, 0.96)).isEqualTo("- - raise raise");
  }

  @Test
  void aFigureBelowTheLimitStartsTheCountAgain() {
    assertThat(told(CONNECTIONS, 0.95, 0.95, 0.9, 0.95, 0.95)).isEqualTo("- - - - -");
  }

  @Test
  void betweenTheTwoLimitsNothingChanges() {
    assertThat(told(CONNECTIONS, 0.95, 0.95, 0.95, 0.85, 0.85, 0.85, 0.85))
        .isEqualTo("- - raise raise raise raise raise");
  }

  @Test
  void clearsAtTheThirdFigureInARowOnTheOtherSide() {
    assertThat(told(CONNECTIONS, 0.95, 0.95, 0.95, 0.7, 0.7, 0.85, 0.7, 0.7, 0.7, 0.7))
        .isEqualTo("- - raise raise raise raise raise raise clear -");
  }

  @Test
  void aLowFigureCanBeTheBadOne() {
    Threshold freeLeases = new Threshold(10, 20, false, 1);
    assertThat(told(freeLeases, 15, 9, 15, 21)).isEqualTo("- raise raise clear");
  }

  @Test
  void figuresThatAreCalmLeaveNoState() {
    assertThat(CONNECTIONS.judge(null, 0.5, 1).state()).isNull();
    assertThat(CONNECTIONS.judge(new Hysteresis(false, 2, 1), 0.5, 2).state()).isNull();
    assertThat(CONNECTIONS.judge(new Hysteresis(true, 2, 1), 0.5, 2).state()).isNull();
  }

  @Test
  void aFigureThatComesTwiceOrLateChangesNothing() {
    Hysteresis two = new Hysteresis(false, 2, 50);
    assertThat(CONNECTIONS.judge(two, 0.95, 50).state()).isSameAs(two);
    assertThat(CONNECTIONS.judge(two, 0.1, 49).state()).isSameAs(two);
    assertThat(CONNECTIONS.judge(two, 0.95, 49).signal()).isEmpty();
  }

  @Test
  void aFigureThatWasRaisedADayAgoIsForgotten() {
    long aDay = Hysteresis.FORGOTTEN_AFTER.toNanos();
    Hysteresis raised = new Hysteresis(true, 0, 1);
    assertThat(CONNECTIONS.judge(raised, 0.95, aDay).signal()).contains(Signal.Kind.KIND_RAISE);
    assertThat(CONNECTIONS.judge(raised, 0.95, aDay + 1).state())
        .isEqualTo(new Hysteresis(false, 1, aDay + 1));
    assertThat(CONNECTIONS.judge(raised, 0.1, aDay + 1).signal()).isEmpty();
  }

  private static String told(Threshold threshold, double... figures) {
    StringJoiner told = new StringJoiner(" ");
    Hysteresis state = null;
    long time = 0;
    for (double figure : figures) {
      Threshold.Judgement judgement = threshold.judge(state, figure, ++time);
      state = judgement.state();
      told.add(
          judgement
              .signal()
              .map(kind -> kind == Signal.Kind.KIND_RAISE ? "raise" : "clear")
              .orElse("-"));
    }
    return told.toString();
  }
}
