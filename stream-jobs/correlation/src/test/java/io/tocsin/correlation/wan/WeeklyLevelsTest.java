package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.LinkStory.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tocsin.wan.v1.WanEpisode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A link whose hour from 13:00 is busy, week by week; at the other hours nothing is sent. */
class WeeklyLevelsTest {
  private static final int HOUR_SECONDS = 3_600;
  private static final int WEEK_SECONDS = 168 * HOUR_SECONDS;
  private static final int QUIET_MS = 30;
  private static final int BUSY_MS = 60;

  private final LinkStory story = new LinkStory(WanSettings.defaults().byHourOfWeek());

  @Test
  void busyHourIsUsualInTheThirdWeek() {
    assertThat(toldInAWeek(story, BUSY_MS)).contains("latency open unexplained");
    assertThat(toldInAWeek(story, BUSY_MS)).contains("latency open unexplained");
    assertThat(toldInAWeek(story, BUSY_MS)).isEmpty();
  }

  @Test
  void withoutTheSettingItIsToldEveryWeekAndNothingIsKept() {
    LinkStory unset = new LinkStory();
    for (int week = 0; week < 3; week++) {
      assertThat(toldInAWeek(unset, BUSY_MS)).contains("latency open unexplained");
    }
    assertThat(unset.link().week.mediansMs).isEmpty();
    assertThat(unset.link().week.minuteMediansMs).isEmpty();
  }

  @Test
  void busyHourThatIsWorseThanUsualIsTold() {
    toldInAWeek(story, BUSY_MS);
    toldInAWeek(story, BUSY_MS);

    assertThat(toldInAWeek(story, 2 * BUSY_MS))
        .containsExactly("latency open unexplained", "latency closed unexplained");
    assertThat(story.last().getBaselineMs()).isCloseTo(BUSY_MS, within(9.0));
  }

  @Test
  void sameLevelAtAnotherHourIsTold() {
    toldInAWeek(story, BUSY_MS);
    toldInAWeek(story, BUSY_MS);
    int before = story.episodes().size();

    story.answers(600, QUIET_MS).shaking(900, BUSY_MS, 8);

    WanEpisode opened = story.episodes().get(before);
    assertThat(opened.getKind()).isEqualTo(WanEpisode.Kind.KIND_LATENCY);
    assertThat(seconds(opened.getStartedAtUnixNanos()))
        .isCloseTo(2 * WEEK_SECONDS + 600, within(5.0));
  }

  @Test
  void troubleOfOneWeekIsNeverUsual() {
    toldInAWeek(story, BUSY_MS);
    toldInAWeek(story, QUIET_MS);
    toldInAWeek(story, QUIET_MS);

    assertThat(toldInAWeek(story, BUSY_MS)).contains("latency open unexplained");
  }

  @Test
  void hourOfWhichLittleWasSeenSaysNothing() {
    int seen = HOUR_SECONDS / 3;
    for (int week = 0; week < 2; week++) {
      story.answers(HOUR_SECONDS, QUIET_MS).shaking(seen, BUSY_MS, 8);
      story.silence(WEEK_SECONDS - HOUR_SECONDS - seen);
    }

    assertThat(toldInAWeek(story, BUSY_MS)).contains("latency open unexplained");
  }

  @Test
  void linkThatIsProbedOnceAMinuteLearnsToo() {
    Block slow = new Block(BUSY_MS, 1, BUSY_MS, 0);
    WeeklyLevels levels = new WeeklyLevels();
    long hour = 3_600_000_000_000L;
    for (int week = 0; week < 2; week++) {
      for (int tenMinutes = 0; tenMinutes < 7; tenMinutes++) {
        levels.learn(slow, week * 168 * hour + tenMinutes * hour / 6, 60_000);
      }
    }

    assertThat(levels.medianMs(2 * 168 * hour)).isEqualTo(BUSY_MS);
    assertThat(levels.medianMs(2 * 168 * hour + 2 * hour)).isZero();
  }

  @Test
  void anotherPathBeginsAnew() {
    toldInAWeek(story, BUSY_MS);
    toldInAWeek(story, BUSY_MS);
    assertThat(story.link().week.mediansMs).isNotEmpty();

    story.answers(600, QUIET_MS).answers(600, 3 * QUIET_MS);

    assertThat(story.last().getCause()).isEqualTo(WanEpisode.Cause.CAUSE_PATH_CHANGE);
    assertThat(story.link().week.mediansMs).isEmpty();
  }

  /** A quiet hour from noon on, an hour around a level, a few quiet minutes; then nothing. */
  private static List<String> toldInAWeek(LinkStory story, int levelMs) {
    int before = story.told().size();
    story.answers(HOUR_SECONDS, QUIET_MS);
    if (levelMs == QUIET_MS) {
      story.answers(HOUR_SECONDS, QUIET_MS);
    } else {
      story.shaking(HOUR_SECONDS, levelMs, 8);
    }
    story.answers(600, QUIET_MS).silence(WEEK_SECONDS - 2 * HOUR_SECONDS - 600);
    return story.told().subList(before, story.told().size());
  }
}
