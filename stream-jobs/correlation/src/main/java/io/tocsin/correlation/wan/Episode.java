package io.tocsin.correlation.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.wan.v1.WanEpisode;
import java.util.ArrayList;
import java.util.List;

/** An episode that lasts, or that ended so lately that its cause may still come. */
public final class Episode {
  /** What is wrong. */
  public WanEpisode.Kind kind = WanEpisode.Kind.KIND_UNSPECIFIED;

  /** When it began, Unix nanoseconds. */
  public long startedAtUnixNanos;

  /** When it ended, Unix nanoseconds; 0 while it lasts. */
  public long endedAtUnixNanos;

  /** Baseline when it began. */
  public double baselineMs;

  /** Deviation of the baseline when it began. */
  public double baselineMadMs;

  /** Highest round-trip time within it. */
  public double peakMs;

  /** Highest jitter within it. */
  public double jitterMs;

  /** Probes within it. */
  public long probes;

  /** Lost ones. */
  public long lost;

  /** Those that were lost, slow or, for jitter, jumpy. */
  public long affected;

  /** Why, as far as it is known. */
  public WanEpisode.Cause cause = WanEpisode.Cause.CAUSE_UNEXPLAINED;

  /** What the cause was read from. */
  public List<Fact> evidence = new ArrayList<>();

  /** State of the device's history when the cause was judged last. */
  public long judgedRevision = -1;

  /** When it was emitted last, Unix nanoseconds. */
  public long emittedAtUnixNanos;

  /** Blocks in a row whose least round-trip time is that of a new level. */
  public List<Block> newLevel = new ArrayList<>();

  /** For Flink, which makes it by its fields. */
  public Episode() {}

  boolean isOpen() {
    return endedAtUnixNanos == 0;
  }

  /** Counts one probe in. */
  void add(float rttMs, boolean isAffected, double linkJitterMs) {
    probes++;
    if (Float.isNaN(rttMs)) {
      lost++;
    } else {
      peakMs = Math.max(peakMs, rttMs);
    }
    if (isAffected) {
      affected++;
    }
    jitterMs = Math.max(jitterMs, linkJitterMs);
  }

  /**
   * The message of a transition. Its version counts from 1 where {@link RemoteSiteRules} emits it.
   */
  WanEpisode toMessage(LinkState link, String eventId, long changedAtUnixNanos) {
    WanEpisode.Builder message =
        WanEpisode.newBuilder()
            .setEpisodeId(id(link.linkId))
            .setLinkId(link.linkId)
            .setKind(kind)
            .setState(isOpen() ? WanEpisode.State.STATE_OPEN : WanEpisode.State.STATE_CLOSED)
            .setStartedAtUnixNanos(startedAtUnixNanos)
            .setBaselineMs(baselineMs)
            .setBaselineMadMs(baselineMadMs)
            .setPeakMs(peakMs)
            .setLossRatio(share(lost))
            .setJitterMs(jitterMs)
            .setProbes(probes)
            .setAffectedRatio(share(affected))
            .setCause(cause)
            .setDevice(link.device)
            .setInterface(link.interfaceName)
            .setSite(link.site)
            .setRemoteSite(link.remoteSite)
            .setChangedAtUnixNanos(changedAtUnixNanos)
            .setEventId(eventId);
    evidence.forEach(fact -> message.addEvidence(fact.toEvidence()));
    if (!isOpen()) {
      message.setEndedAtUnixNanos(endedAtUnixNanos);
    }
    return message.build();
  }

  private String id(String linkId) {
    return linkId + "/" + word(kind) + "/" + startedAtUnixNanos / Nanos.PER_MILLI;
  }

  private double share(long of) {
    return probes == 0 ? 0 : Math.min(1, (double) of / probes);
  }

  /** The word for a kind, as in ClickHouse. */
  static String word(WanEpisode.Kind kind) {
    return switch (kind) {
      case KIND_LATENCY -> "latency";
      case KIND_LOSS -> "loss";
      case KIND_JITTER -> "jitter";
      case KIND_DOWN -> "down";
      case KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("no rule makes an episode of kind " + kind);
    };
  }
}
