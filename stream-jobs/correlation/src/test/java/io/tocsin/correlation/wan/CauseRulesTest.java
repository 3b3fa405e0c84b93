package io.tocsin.correlation.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import io.tocsin.testsupport.TestEvents;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import org.junit.jupiter.api.Test;

/** One test for each order in which probes and polls come. */
class CauseRulesTest {
  private static LinkStory slow() {
    return new LinkStory().answers(120, 30).shaking(30, 90, 8);
  }

  private static LinkStory losing() {
    return new LinkStory().answers(120, 30).everyNthLost(30, 3, 30);
  }

  @Test
  void loadDuringLatencyIsSaturationWithItsFigures() {
    LinkStory story = slow().poll(10, 250.0 / 255, 37);

    assertThat(story.told())
        .containsExactly("latency open unexplained", "latency open egress_saturated");
    assertThat(story.figure("out_load")).isEqualTo(250.0 / 255);
    assertThat(story.figure("out_discards")).isEqualTo(370);
  }

  @Test
  void loadThatWasPolledJustBeforeTheOpeningIsThereAtOnce() {
    LinkStory story = new LinkStory().answers(120, 30).shaking(2, 90, 8);
    story.poll(2, 0.97, 0).shaking(20, 90, 8);

    assertThat(story.told()).first().isEqualTo("latency open egress_saturated");
  }

  @Test
  void burstThatIsShorterThanThePollShowsInDiscards() {
    assertThat(slow().poll(60, 0.4, 12).told()).last().isEqualTo("latency open egress_saturated");
  }

  @Test
  void discardsAsBeforeExplainNothing() {
    LinkStory story = new LinkStory().answers(60, 30).poll(60, 0.3, 5).answers(60, 30);

    story.poll(60, 0.3, 5).shaking(30, 90, 8).poll(30, 0.3, 6);

    assertThat(story.told()).containsExactly("latency open unexplained");
  }

  @Test
  void loadOfAnotherTimeExplainsNothing() {
    LinkStory story = new LinkStory().answers(60, 30).poll(60, 0.99, 50).answers(60, 30);

    story.poll(60, 0.1, 0).shaking(30, 90, 8).poll(30, 0.1, 0);

    assertThat(story.told()).containsExactly("latency open unexplained");
  }

  @Test
  void pollThatComesAfterTheEndStillExplains() {
    LinkStory story = slow().answers(30, 30).poll(60, 0.9, 3);

    assertThat(story.told())
        .containsExactly(
            "latency open unexplained",
            "latency closed unexplained",
            "latency closed egress_saturated");
  }

  @Test
  void lossWhileTheInterfaceHasRoomIsLossWithoutCongestion() {
    LinkStory story = losing().poll(30, 0.2, 0);

    assertThat(story.told())
        .containsExactly("loss open unexplained", "loss open loss_without_congestion");
    assertThat(story.figure("out_load")).isEqualTo(0.2);
    assertThat(story.figure("out_discards")).isZero();
  }

  @Test
  void lossOnAFullInterfaceIsSaturation() {
    assertThat(losing().poll(10, 0.99, 20).told()).last().isEqualTo("loss open egress_saturated");
  }

  @Test
  void roomIsNotProvenByAPollOfMostlyBefore() {
    LinkStory story = losing();

    story.pollAt(130, 60, 0.2, 0);

    assertThat(story.told()).containsExactly("loss open unexplained");
  }

  @Test
  void saturationReplacesRoomAndIsNotTakenBack() {
    LinkStory story = losing().poll(10, 0.2, 0).everyNthLost(10, 3, 30);

    story.poll(10, 0.99, 9).everyNthLost(10, 3, 30).poll(10, 0.1, 0);

    assertThat(story.told())
        .containsExactly(
            "loss open unexplained",
            "loss open loss_without_congestion",
            "loss open egress_saturated");
  }

  @Test
  void withoutPollsTheCauseIsUnexplained() {
    assertThat(losing().answers(60, 30).told())
        .containsExactly("loss open unexplained", "loss closed unexplained");
  }

  @Test
  void syslogOfTheDeviceIsEvidence() {
    SyslogHistory syslog = new SyslogHistory();
    Event line =
        TestEvents.syslog(1, LinkStory.instant(100)).toBuilder()
            .setSyslog(
                Syslog.newBuilder()
                    .setSeverity(5)
                    .setMessage("%BGP-5-ADJCHANGE: neighbor 192.0.2.1 Down"))
            .build();
    syslog.add(line);
    syslog.add(line);
    Episode episode = new Episode();
    episode.kind = WanEpisode.Kind.KIND_DOWN;
    episode.startedAtUnixNanos = line.getReceivedAtUnixNanos() + 5_000_000_000L;

    new CauseRules(WanSettings.defaults())
        .judge(episode, episode.startedAtUnixNanos, new InterfaceHistory(), syslog);

    assertThat(episode.evidence)
        .extracting(fact -> fact.toEvidence())
        .extracting(Evidence::getText, Evidence::getEventId)
        .containsExactly(tuple("%BGP-5-ADJCHANGE: neighbor 192.0.2.1 Down", line.getEventId()));
    assertThat(SyslogHistory.isWorthKeeping(line)).isTrue();
    assertThat(SyslogHistory.isWorthKeeping(TestEvents.syslog(2, LinkStory.instant(1)))).isFalse();
  }
}
