package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import java.util.List;

/** Transitions of WAN episodes to table {@code wan_episodes}. */
final class WanEpisodesEncoder extends RowEncoder<Told<WanEpisode>> {
  WanEpisodesEncoder() {
    super(
        "wan_episodes",
        List.of(
            "episode_id",
            "version",
            "told_at",
            "link_id",
            "kind",
            "state",
            "started_at",
            "ended_at",
            "changed_at",
            "baseline_ms",
            "baseline_mad_ms",
            "peak_ms",
            "loss_ratio",
            "jitter_ms",
            "probes",
            "affected_ratio",
            "cause",
            "device",
            "interface",
            "site",
            "remote_site",
            "event_id",
            "evidence"));
  }

  @Override
  public boolean isAwaited() {
    return true;
  }

  @Override
  public void encode(Told<WanEpisode> told, NativeWriter row) {
    WanEpisode episode = told.message();
    row.string(episode.getEpisodeId())
        .uint64(episode.getVersion())
        .dateTime64Nanos(told.atUnixNanos())
        .string(episode.getLinkId())
        .enum8("kind", episode.getKindValue(), 1, WanEpisode.Kind.KIND_DOWN_VALUE)
        .enum8("state", episode.getStateValue(), 1, WanEpisode.State.STATE_CLOSED_VALUE)
        .dateTime64Nanos(episode.getStartedAtUnixNanos())
        .nullableDateTime64Nanos(episode.hasEndedAtUnixNanos(), episode.getEndedAtUnixNanos())
        .dateTime64Nanos(episode.getChangedAtUnixNanos())
        .float64(episode.getBaselineMs())
        .float64(episode.getBaselineMadMs())
        .float64(episode.getPeakMs())
        .float64(episode.getLossRatio())
        .float64(episode.getJitterMs())
        .uint64(episode.getProbes())
        .float64(episode.getAffectedRatio())
        .enum8("cause", episode.getCauseValue(), 1, WanEpisode.Cause.CAUSE_UNEXPLAINED_VALUE)
        .string(episode.getDevice())
        .string(episode.getInterface())
        .string(episode.getSite())
        .string(episode.getRemoteSite())
        .string(episode.getEventId())
        .array(episode.getEvidenceList(), WanEpisodesEncoder::evidence);
  }

  private static void evidence(Evidence evidence, NativeWriter element) {
    element
        .string(evidence.getName())
        .float64(evidence.getValue())
        .string(evidence.getUnit())
        .string(evidence.getText())
        .string(evidence.getEventId())
        .dateTime64Nanos(evidence.getObservedAtUnixNanos());
  }
}
