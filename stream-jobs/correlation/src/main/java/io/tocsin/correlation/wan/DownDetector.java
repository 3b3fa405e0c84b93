package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.WanEpisode.Kind;
import java.util.List;

/**
 * <b>down</b> opens when nothing is answered for so long that the loss before does not explain it,
 * and closes with the third answer of five. It ends all other episodes: there is nothing to
 * measure.
 */
final class DownDetector {
  private static final double CHANCE_OF_A_RUN = 1e-4;
  private static final int ANSWERS_THAT_END_DOWN = 3;
  private static final int PROBES_THAT_END_DOWN = 5;

  private final WanSettings settings;

  DownDetector(WanSettings settings) {
    this.settings = settings;
  }

  void onProbe(LinkState link, EpisodeLog log) {
    ProbeWindow window = link.window;
    Episode down = link.open(Kind.KIND_DOWN);
    if (down != null) {
      if (window.answersAmong(PROBES_THAT_END_DOWN) >= ANSWERS_THAT_END_DOWN) {
        int answers = ProbeWindow.ageOfOldest(~window.lost, PROBES_THAT_END_DOWN) + 1;
        log.close(down, answers);
        window.keepNewest(answers);
      }
      return;
    }
    int run = window.lostRun();
    if (run > 0 && run >= downRun(link, run)) {
      for (Episode episode : List.copyOf(link.episodes)) {
        if (episode.isOpen()) {
          log.close(episode, run);
        }
      }
      log.open(Kind.KIND_DOWN, run, window.lost);
    }
  }

  /** Lost probes in a row that the loss before them does not explain. */
  private int downRun(LinkState link, int run) {
    ProbeWindow window = link.window;
    int least = settings.downProbes(link.intervalMs);
    int before = window.count - run;
    int lostBefore = Long.bitCount(window.lost) - run;
    if (before < Block.PROBES || lostBefore < 2) {
      return least;
    }
    double ratio = Math.min(0.95, (double) lostBefore / before);
    int unlikely = (int) Math.ceil(Math.log(CHANCE_OF_A_RUN) / Math.log(ratio));
    return Math.min(ProbeWindow.SIZE / 2, Math.max(least, unlikely));
  }
}
