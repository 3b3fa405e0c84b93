package io.tocsin.correlation.wan;

import static io.tocsin.correlation.wan.ProbeWindow.among;

import io.tocsin.correlation.Nanos;
import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Kind;
import java.util.ArrayList;
import java.util.List;

/** Opens and closes the episodes of a link in one step, and knows which of them changed. */
final class EpisodeLog {
  private final LinkState link;
  private final WanSettings settings;
  private final List<Episode> changed = new ArrayList<>();

  EpisodeLog(LinkState link, WanSettings settings) {
    this.link = link;
    this.settings = settings;
  }

  /**
   * Opens an episode.
   *
   * @param probes newest ones that belong to it
   * @param affected bits of the probes that it affects
   */
  void open(Kind kind, int probes, long affected) {
    ProbeWindow window = link.window;
    int within = Math.min(probes, window.count);
    Episode episode = new Episode();
    episode.kind = kind;
    episode.startedAtUnixNanos = timeOf(within - 1);
    episode.baselineMs = link.baseline.isWarm() ? link.usualMs(settings) : 0;
    episode.baselineMadMs = link.baseline.isWarm() ? link.baseline.madMs : 0;
    episode.probes = within;
    episode.lost = among(window.lost, within);
    episode.affected = among(affected, within);
    episode.jitterMs = link.jitterMs;
    for (int age = 0; age < within; age++) {
      float rtt = window.rttMs(age);
      episode.peakMs = Float.isNaN(rtt) ? episode.peakMs : Math.max(episode.peakMs, rtt);
    }
    link.episodes.add(episode);
    if (kind == Kind.KIND_LOSS || kind == Kind.KIND_DOWN) {
      link.baseline.forgetLossesOnTrial();
    }
    change(episode);
  }

  /** Closes after the newest probe whose bit is set; what came after it was as usual. */
  void closeAfterNewest(Episode episode, long bits) {
    close(episode, Math.min(ProbeWindow.ageOfNewest(bits), link.window.count));
  }

  /** Closes before so many newest probes. */
  void close(Episode episode, int probesAfter) {
    long endedAt = timeOf(Math.max(0, probesAfter - 1));
    episode.endedAtUnixNanos = Math.max(episode.startedAtUnixNanos + 1, endedAt);
    int after = (int) Math.min(probesAfter, episode.probes - 1);
    if (after > 0) {
      episode.probes -= after;
      episode.lost -= among(link.window.lost, after);
      episode.affected -= among(link.window.lost | link.window.slow, after);
      episode.lost = Math.max(0, episode.lost);
      episode.affected = Math.max(episode.lost, episode.affected);
    }
    change(episode);
  }

  /** An episode is to be emitted again. */
  void change(Episode episode) {
    if (!changed.contains(episode)) {
      changed.add(episode);
    }
  }

  /** When the probe of an age was sent, by the configured interval. */
  private long timeOf(int age) {
    return link.newestUnixNanos - age * link.intervalMs * Nanos.PER_MILLI;
  }

  /** The transitions, in the order of the first change of each episode. */
  List<WanEpisode> transitions() {
    List<WanEpisode> transitions = new ArrayList<>(changed.size());
    for (Episode episode : changed) {
      episode.emittedAtUnixNanos = link.newestUnixNanos;
      if (episode.isOpen() && episode.kind != Kind.KIND_DOWN) {
        addPercentiles(episode);
      }
      transitions.add(episode.toMessage(link, link.newestEventId, link.newestUnixNanos));
    }
    return transitions;
  }

  private void addPercentiles(Episode episode) {
    int window = 3 * settings.shortWindowProbes(link.intervalMs);
    int probes = (int) Math.min(window, episode.probes);
    float median = link.window.quantileMs(0.5, probes);
    episode.evidence.removeIf(fact -> fact.name().endsWith("_rtt_ms"));
    if (!Float.isNaN(median)) {
      long at = link.newestUnixNanos;
      float p95 = link.window.quantileMs(0.95, probes);
      episode.evidence.add(Fact.figure("p50_rtt_ms", median, "ms", "", at));
      episode.evidence.add(Fact.figure("p95_rtt_ms", p95, "ms", "", at));
    }
  }
}
