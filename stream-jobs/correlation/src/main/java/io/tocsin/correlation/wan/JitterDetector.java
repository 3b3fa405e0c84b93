package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.ProbeWindow.among;

import io.tocsin.wan.v1.WanEpisode.Kind;

/**
 * <b>jitter</b> opens when most of the last 15 answers differ from the one before by more than
 * usual; not within latency, of which it is a part.
 */
final class JitterDetector {
  private static final double MOST = 0.6;
  private static final double FEW = 0.2;
  private static final int JITTER_WINDOW = 15;

  void onProbe(LinkState link, EpisodeLog log) {
    ProbeWindow window = link.window;
    int answers = window.answersAmong(JITTER_WINDOW);
    int jumpy = among(window.jumpy, JITTER_WINDOW);
    Episode jitter = link.open(Kind.KIND_JITTER);
    if (jitter == null) {
      boolean isMost = jumpy >= MOST * Math.max(answers, JITTER_WINDOW * 2 / 3);
      if (isMost && link.open(Kind.KIND_LATENCY) == null) {
        int began = ProbeWindow.ageOfOldest(window.jumpy, JITTER_WINDOW) + 1;
        log.open(Kind.KIND_JITTER, began, window.jumpy | window.lost);
      }
    } else if (window.count >= JITTER_WINDOW && jumpy <= FEW * answers) {
      log.closeAfterNewest(jitter, window.jumpy);
      window.jumpy = 0;
    }
  }
}
