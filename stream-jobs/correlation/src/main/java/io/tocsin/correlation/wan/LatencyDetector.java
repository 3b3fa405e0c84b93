package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.ProbeWindow.among;

import io.tocsin.wan.v1.WanEpisode.Kind;

/**
 * <b>latency</b> opens when most answers of the short window (ten seconds) are slower than the
 * baseline allows, or two in five of three short windows, so that traffic in bursts is seen. It
 * closes when a short window has come half way back.
 */
final class LatencyDetector {
  private static final double MOST = 0.6;
  private static final double MANY = 0.4;
  private static final double FEW = 0.2;

  private final WanSettings settings;

  LatencyDetector(WanSettings settings) {
    this.settings = settings;
  }

  void onProbe(LinkState link, EpisodeLog log) {
    int shortWindow = settings.shortWindowProbes(link.intervalMs);
    Episode latency = link.open(Kind.KIND_LATENCY);
    if (latency == null) {
      openIfSlow(link, shortWindow, log);
    } else if (isQuiet(link.window, shortWindow)) {
      log.closeAfterNewest(latency, link.window.slowish);
      link.window.slow = 0;
    }
  }

  private static void openIfSlow(LinkState link, int shortWindow, EpisodeLog log) {
    ProbeWindow window = link.window;
    int longWindow = 3 * shortWindow;
    int slow = among(window.slow, shortWindow);
    int slowOfMany = among(window.slow, longWindow);
    boolean isMost = slow >= Math.max(MOST * window.answersAmong(shortWindow), MANY * shortWindow);
    boolean isMany =
        slowOfMany >= shortWindow
            && slowOfMany >= MANY * window.answersAmong(longWindow)
            && slow > 0;
    if (!isMost && !isMany) {
      return;
    }
    int reach = Math.min(isMost ? shortWindow : longWindow, window.count);
    int began = ProbeWindow.ageOfOldest(window.slow, reach) + 1;
    log.open(Kind.KIND_LATENCY, began, window.slow | window.lost);
    Episode jitter = link.open(Kind.KIND_JITTER);
    if (jitter != null) {
      log.close(jitter, began);
    }
  }

  private static boolean isQuiet(ProbeWindow window, int shortWindow) {
    int answers = window.answersAmong(shortWindow);
    return window.count >= shortWindow
        && answers * 2 >= shortWindow
        && among(window.slowish, shortWindow) <= FEW * answers
        && among(window.slowish, 2 * shortWindow) <= MANY * window.answersAmong(2 * shortWindow);
  }
}
