package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.LinkStory.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tocsin.correlation.Step;
import io.tocsin.wan.v1.WanEpisode;
import org.junit.jupiter.api.Test;

class LinkRulesTest {
  @Test
  void ordinaryLinkHasNothingToTell() {
    assertThat(new LinkStory().answers(1_000, 30).told()).isEmpty();
  }

  @Test
  void latencyOpensAndClosesWithBaselinePeakAndDuration() {
    LinkStory story = new LinkStory().answers(120, 30).shaking(40, 90, 8).answers(60, 30);

    assertThat(story.told())
        .containsExactly("latency open unexplained", "latency closed unexplained");
    WanEpisode opened = story.episodes().get(0);
    assertThat(seconds(opened.getStartedAtUnixNanos())).isEqualTo(120);
    assertThat(seconds(opened.getChangedAtUnixNanos())).isLessThan(130);
    assertThat(opened.getBaselineMs()).isCloseTo(30, within(0.5));
    WanEpisode closed = story.last();
    assertThat(closed.getEpisodeId()).isEqualTo(opened.getEpisodeId());
    assertThat(seconds(closed.getEndedAtUnixNanos())).isCloseTo(160, within(1.0));
    assertThat(closed.getPeakMs()).isCloseTo(98, within(0.1));
    assertThat(closed.getProbes()).isCloseTo(40, within(1L));
    assertThat(closed.getAffectedRatio()).isGreaterThan(0.95);
    assertThat(closed.getLossRatio()).isZero();
  }

  @Test
  void episodeThatLastsIsToldAgainOnceAMinute() {
    LinkStory story = new LinkStory().answers(120, 30).lost(200);

    assertThat(story.toldWithRefreshes()).hasSize(4).containsOnly("down open unexplained");
    assertThat(story.last().getProbes()).isEqualTo(185);
  }

  @Test
  void spikeOfAFewProbesIsNoEpisode() {
    LinkStory story = new LinkStory().answers(120, 30);
    for (int i = 0; i < 10; i++) {
      story.answers(3, 150).answers(60, 30);
    }

    assertThat(story.told()).isEmpty();
  }

  @Test
  void trafficInBurstsIsOneEpisode() {
    LinkStory story = new LinkStory().answers(120, 30);
    for (int i = 0; i < 12; i++) {
      story.shaking(5, 90, 10).answers(4, 30);
    }
    story.answers(60, 30);

    assertThat(story.episodes().stream().map(WanEpisode::getEpisodeId).distinct()).hasSize(1);
    assertThat(story.last().getState()).isEqualTo(WanEpisode.State.STATE_CLOSED);
  }

  @Test
  void nothingIsSlowWhileTheLinkWarmsUp() {
    assertThat(new LinkStory().answers(5, 30).answers(10, 90).answers(200, 30).told()).isEmpty();
  }

  @Test
  void episodeStaysOutsideTheBaseline() {
    LinkStory story = new LinkStory().answers(300, 30);
    float before = story.link().baseline.medianMs;

    story.shaking(400, 120, 15);

    assertThat(story.link().baseline.medianMs).isEqualTo(before);
  }

  @Test
  void baselineFollowsALevelThatFalls() {
    LinkStory story = new LinkStory().answers(120, 90).answers(60, 30);

    assertThat(story.told()).isEmpty();
    assertThat(story.link().baseline.medianMs).isCloseTo(30, within(0.5f));
  }

  @Test
  void lossOpensWithItsShareAndClosesAfterQuiet() {
    LinkStory story = new LinkStory().answers(120, 30).everyNthLost(60, 3, 30).answers(120, 30);

    assertThat(story.told()).containsExactly("loss open unexplained", "loss closed unexplained");
    assertThat(seconds(story.episodes().get(0).getChangedAtUnixNanos())).isLessThan(135);
    assertThat(story.last().getLossRatio()).isCloseTo(1.0 / 3, within(0.03));
    assertThat(seconds(story.last().getEndedAtUnixNanos())).isCloseTo(178, within(2.0));
  }

  @Test
  void oneLostInAHundredIsUsualForALinkThatAlwaysLosesIt() {
    assertThat(new LinkStory().everyNthLost(6_000, 90, 40).told()).isEmpty();
  }

  @Test
  void lossThatIsJudgedIsNotUsualYet() {
    LinkStory story = new LinkStory().answers(122, 30);
    story.lost(1).answers(1, 30).lost(1).answers(9, 30).lost(1).answers(5, 30);

    assertThat(story.told()).containsExactly("loss open unexplained");
    assertThat(seconds(story.last().getChangedAtUnixNanos())).isEqualTo(134);
  }

  @Test
  void lossOfAnEpisodeNeverBecomesUsual() {
    LinkStory story = new LinkStory().answers(120, 30).everyNthLost(60, 3, 30).answers(240, 30);

    assertThat(story.link().baseline.lossRatio).isZero();
  }

  @Test
  void twoLostProbesAreNoEpisode() {
    assertThat(new LinkStory().answers(120, 30).lost(2).answers(60, 30).told()).isEmpty();
  }

  @Test
  void linkIsDownWithoutAnswersAndUpWithThreeOfFive() {
    LinkStory story =
        new LinkStory().answers(120, 30).lost(30).answers(1, 30).lost(2).answers(60, 30);

    assertThat(story.told()).containsExactly("down open unexplained", "down closed unexplained");
    WanEpisode opened = story.episodes().get(0);
    assertThat(seconds(opened.getStartedAtUnixNanos())).isEqualTo(120);
    assertThat(seconds(opened.getChangedAtUnixNanos())).isEqualTo(124);
    assertThat(opened.getPeakMs()).isZero();
    assertThat(opened.getLossRatio()).isEqualTo(1);
    assertThat(seconds(story.last().getEndedAtUnixNanos())).isBetween(150.0, 154.0);
  }

  @Test
  void linkThatNeverAnsweredIsDown() {
    assertThat(new LinkStory().lost(10).told()).containsExactly("down open unexplained");
  }

  @Test
  void heavyLossIsNotCalledDown() {
    LinkStory story = new LinkStory().answers(120, 30);
    for (int i = 0; i < 20; i++) {
      story.lost(4).answers(2, 30).lost(1).answers(1, 30);
    }

    assertThat(story.told()).doesNotContain("down open unexplained");
    assertThat(story.told()).contains("loss open unexplained");
  }

  @Test
  void downEndsWhatElseIsOpen() {
    LinkStory story = new LinkStory().answers(120, 30).shaking(30, 90, 8).lost(20);

    assertThat(story.told())
        .containsExactly(
            "latency open unexplained", "latency closed unexplained", "down open unexplained");
  }

  @Test
  void jitterOpensWhileTheLevelStays() {
    LinkStory story = new LinkStory().answers(120, 60).shaking(60, 60, 8).answers(60, 60);

    assertThat(story.told())
        .containsExactly("jitter open unexplained", "jitter closed unexplained");
    assertThat(story.last().getJitterMs()).isCloseTo(16, within(1.5));
  }

  @Test
  void jitterIsPartOfLatencyAndNoEpisodeOfItsOwn() {
    LinkStory story = new LinkStory().answers(120, 60).shaking(60, 200, 30).answers(60, 60);

    assertThat(story.told())
        .containsExactly("latency open unexplained", "latency closed unexplained");
  }

  @Test
  void stepOfTheLeastTimeThatStaysIsAPathChangeAndTheBaselineMoves() {
    LinkStory story = new LinkStory().answers(300, 30).answers(300, 45);

    assertThat(story.told())
        .containsExactly(
            "latency open unexplained", "latency open path_change", "latency closed path_change");
    assertThat(story.figure("min_rtt_before_ms")).isCloseTo(29.5, within(0.5));
    assertThat(story.figure("min_rtt_after_ms")).isCloseTo(44.3, within(0.8));
    assertThat(story.link().baseline.medianMs).isCloseTo(45, within(0.5f));
    assertThat(seconds(story.last().getEndedAtUnixNanos())).isLessThan(300 + 90);
  }

  @Test
  void pathThatComesBackIsNoEpisode() {
    LinkStory story = new LinkStory().answers(300, 30).answers(300, 45);
    int before = story.told().size();

    story.answers(300, 30);

    assertThat(story.told()).hasSize(before);
    assertThat(story.link().baseline.medianMs).isCloseTo(30, within(0.5f));
  }

  @Test
  void levelThatWandersIsNoPathChange() {
    LinkStory story = new LinkStory().answers(300, 30);
    for (int i = 0; i < 30; i++) {
      story.answers(10, 45 + 6 * (i % 4));
    }

    assertThat(story.told()).containsOnly("latency open unexplained");
  }

  @Test
  void fullQueueThatStandsStillIsNoPathChange() {
    LinkStory story = new LinkStory().answers(300, 30).answers(10, 90);
    story.poll(10, 0.99, 40).answers(290, 90);

    assertThat(story.told()).doesNotContain("latency open path_change");
    assertThat(story.last().getState()).isEqualTo(WanEpisode.State.STATE_OPEN);
  }

  @Test
  void silenceOfTheAgentOpensNothingAndClosesNothing() {
    assertThat(new LinkStory().answers(120, 30).silence(600).answers(60, 30).told()).isEmpty();
    assertThat(new LinkStory().answers(120, 30).lost(10).silence(600).told())
        .containsExactly("down open unexplained");
  }

  @Test
  void linkThatIsForgottenClosesWhereItsProbesEnded() {
    LinkStory story = new LinkStory().answers(120, 30).lost(10);
    LinkRules rules = new LinkRules(WanSettings.defaults());
    long anHourLater = story.link().newestUnixNanos + 3_600_000_000_000L;

    assertThat(rules.onTimer(story.link(), anHourLater - 1)).isEqualTo(Step.keep(story.link()));
    Step<LinkState, WanEpisode> forgotten = rules.onTimer(story.link(), anHourLater);
    assertThat(forgotten.state()).isNull();
    assertThat(forgotten.decisions())
        .singleElement()
        .satisfies(
            episode -> {
              assertThat(episode.getState()).isEqualTo(WanEpisode.State.STATE_CLOSED);
              assertThat(seconds(episode.getEndedAtUnixNanos())).isEqualTo(129);
            });
  }
}
