package io.tocsin.correlation.wan.scoring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises of the README, on the labelled sets that WanScoring prints. */
class DetectionScoreTest {
  @ParameterizedTest
  @ValueSource(longs = {WanScoring.TUNING_SEED, WanScoring.HOLD_OUT_SEED})
  void episodesAreFoundAndFewAreFalse(long seed) {
    Score score = Score.of(new EpisodeDetector(), WanScoring.set(seed));

    assertThat(score.precision()).as("%s", score).isGreaterThanOrEqualTo(0.95);
    assertThat(score.recall()).as("%s", score).isGreaterThanOrEqualTo(0.95);
    assertThat(score.delay(0.95)).as("%s", score).isLessThan(15);
    assertThat(score.troubles()).isGreaterThan(300);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 8, 13})
  void dayOfOrdinaryNoiseHasNotOneEpisode(long seed) {
    assertThat(new EpisodeDetector().find(new SeriesGenerator(seed).ordinaryDay())).isEmpty();
  }

  @Test
  void setIsTheSameInEveryRun() {
    assertThat(WanScoring.set(42).get(17).rttsMs()).isEqualTo(WanScoring.set(42).get(17).rttsMs());
  }
}
