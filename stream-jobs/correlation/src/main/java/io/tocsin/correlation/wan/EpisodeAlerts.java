package io.tocsin.correlation.wan;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.AlertUpdate;
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
  /** Source of the alerts, and agent of their events. */
  public static final String SOURCE = "tocsin-wan";

  private EpisodeAlerts() {}

  /** The update of a transition. */
  public static Event of(WanEpisode episode) {
    boolean isOver = episode.getState() == WanEpisode.State.STATE_CLOSED;
    String id = SOURCE + "-" + episode.getEpisodeId() + "-" + episode.getVersion();
    return Event.newBuilder()
        .setEventId(id)
        .setAgentId(SOURCE)
        .setSequence(episode.getVersion())
        .setListener(SOURCE)
        .setReceivedAtUnixNanos(episode.getChangedAtUnixNanos())
        .setEventTimeUnixNanos(episode.getChangedAtUnixNanos())
        .setDevice(episode.getDevice())
        .setSite(episode.getSite())
        .setAlertUpdate(update(episode, isOver))
        .build();
  }

  private static AlertUpdate update(WanEpisode episode, boolean isOver) {
    String kind = Episode.word(episode.getKind());
    AlertUpdate.Builder update =
        AlertUpdate.newBuilder()
            .setAction(isOver ? AlertUpdate.Action.ACTION_DELETE : AlertUpdate.Action.ACTION_UPDATE)
            .setSource(SOURCE)
            .setCheck("wan-" + kind)
            .setSeverity(isOver ? Severity.SEVERITY_CLEARED : severity(episode.getKind()))
            .setSummary(summary(episode, kind))
            .addFingerprintLabels("link_id")
            .putLabels("link_id", episode.getLinkId())
            .putLabels("episode_id", episode.getEpisodeId())
            .putLabels("cause", causeWord(episode.getCause()))
            .putLabels("baseline_ms", figure(episode.getBaselineMs()))
            .putLabels("peak_ms", figure(episode.getPeakMs()))
            .putLabels("loss_ratio", figure(episode.getLossRatio()))
            .putLabels("jitter_ms", figure(episode.getJitterMs()));
    putUnlessEmpty(update, "interface", episode.getInterface());
    putUnlessEmpty(update, "remote_site", episode.getRemoteSite());
    for (Evidence evidence : episode.getEvidenceList()) {
      putUnlessEmpty(
          update,
          evidence.getName(),
          evidence.getUnit().isEmpty() ? evidence.getText() : figure(evidence.getValue()));
    }
    return update.build();
  }

  private static void putUnlessEmpty(AlertUpdate.Builder update, String name, String value) {
    if (!value.isEmpty()) {
      update.putLabels(name, value);
    }
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
    return String.format(Locale.ROOT, "%.3f", value).replaceFirst("\\.?0+$", "");
  }
}
