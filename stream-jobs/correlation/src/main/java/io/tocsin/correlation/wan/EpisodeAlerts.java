package io.tocsin.correlation.wan;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.events.v1.Event;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import java.util.Locale;

/**
 * The alert of an episode: raised while it lasts, cleared when it ends. Source {@code tocsin-wan},
 * check {@code wan-latency}, {@code wan-loss}, {@code wan-jitter} or {@code wan-down}, device that
 * the link leaves through, and the figures as labels. Label link_id is part of its identity: two
 * links of one device are two alerts.
 */
public final class EpisodeAlerts {
  private EpisodeAlerts() {}

  /** The update of a transition. */
  public static Event of(WanEpisode episode) {
    String kind = Episode.word(episode.getKind());
    Severity severity = severity(episode.getKind());
    Finding finding =
        Finding.of(Finding.WAN_JOB, "wan-" + kind, severity, episode.getDevice(), episode.getSite())
            .summary("%s", summary(episode, kind))
            .identity("link_id", episode.getLinkId())
            .label("episode_id", episode.getEpisodeId())
            .label("cause", causeWord(episode.getCause()))
            .label("baseline_ms", figure(episode.getBaselineMs()))
            .label("peak_ms", figure(episode.getPeakMs()))
            .label("loss_ratio", figure(episode.getLossRatio()))
            .label("jitter_ms", figure(episode.getJitterMs()))
            .label("interface", episode.getInterface())
            .label("remote_site", episode.getRemoteSite());
    for (Evidence evidence : episode.getEvidenceList()) {
      String figure =
          evidence.getUnit().isEmpty() ? evidence.getText() : figure(evidence.getValue());
      finding.label(evidence.getName(), figure);
    }
    return episode.getState() == WanEpisode.State.STATE_CLOSED
        ? finding.clear(episode.getChangedAtUnixNanos())
        : finding.raise(episode.getChangedAtUnixNanos());
  }

  private static Severity severity(WanEpisode.Kind kind) {
    return switch (kind) {
      case KIND_DOWN -> Severity.SEVERITY_CRITICAL;
      case KIND_LOSS -> Severity.SEVERITY_MAJOR;
      case KIND_LATENCY -> Severity.SEVERITY_MINOR;
      case KIND_JITTER, KIND_UNSPECIFIED, UNRECOGNIZED -> Severity.SEVERITY_WARNING;
    };
  }

  private static String summary(WanEpisode episode, String kind) {
    String what =
        switch (episode.getKind()) {
          case KIND_LATENCY ->
              String.format(
                  Locale.ROOT,
                  "latency %s ms, usually %s ms",
                  figure(episode.getPeakMs()),
                  figure(episode.getBaselineMs()));
          case KIND_LOSS ->
              String.format(Locale.ROOT, "%.0f %% of probes lost", 100 * episode.getLossRatio());
          case KIND_JITTER ->
              String.format(Locale.ROOT, "jitter %s ms", figure(episode.getJitterMs()));
          case KIND_DOWN, KIND_UNSPECIFIED, UNRECOGNIZED -> kind;
        };
    return "link " + episode.getLinkId() + " " + what + ", " + causeWord(episode.getCause());
  }

  private static String causeWord(WanEpisode.Cause cause) {
    return cause.name().substring("CAUSE_".length()).toLowerCase(Locale.ROOT);
  }

  private static String figure(double value) {
    String text = String.format(Locale.ROOT, "%.3f", value);
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }
}
