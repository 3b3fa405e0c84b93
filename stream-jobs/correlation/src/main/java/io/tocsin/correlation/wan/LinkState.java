package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.WanEpisode;
import java.util.ArrayList;
import java.util.List;

/**
 * All that is remembered of one link: about 2.5 kB, 8.4 kB with {@link WeeklyLevels}, and forgotten
 * when no probe of it has come for {@link WanSettings#forgetAfterSeconds}.
 */
public final class LinkState {
  /** Configured name. */
  public String linkId = "";

  /** Device that it leaves through. */
  public String device = "";

  /** Interface that it leaves through. */
  public String interfaceName = "";

  /** Place of the agent. */
  public String site = "";

  /** Place at the other end. */
  public String remoteSite = "";

  /** Configured time between probes, milliseconds. */
  public int intervalMs = 1_000;

  /** When the newest probe was sent, Unix nanoseconds. */
  public long newestUnixNanos = Long.MIN_VALUE;

  /** Event of the newest probe. */
  public String newestEventId = "";

  /** The newest probes. */
  public ProbeWindow window = new ProbeWindow();

  /** How the link usually is. */
  public Baseline baseline = new Baseline();

  /** How it is at each hour of the week; learned only where {@link WanSettings} say so. */
  public WeeklyLevels week = new WeeklyLevels();

  /** Probes since the last block. */
  public int sinceBlock;

  /** Newest probes that no episode of loss has counted yet, up to the window's size. */
  public int sinceLoss;

  /** Interarrival jitter of RFC 3550 6.4.1, of round-trip times. */
  public double jitterMs;

  /** Newest round-trip time, {@link Float#NaN} before the first. */
  public float lastRttMs = Float.NaN;

  /** Lost probes of 15 that are too many. */
  public int tooManyLostOf15 = LossDetector.UNKNOWN_LOSS_LIMIT;

  /** Lost probes of 60 that are too many. */
  public int tooManyLostOf60 = LossDetector.UNKNOWN_LOSS_LIMIT;

  /** Blocks in a row below the usual level. */
  public List<Block> lowerLevel = new ArrayList<>();

  /** Episodes that last or whose cause may still come; at most one of a kind lasts. */
  public List<Episode> episodes = new ArrayList<>();

  /** For Flink, which makes it by its fields. */
  public LinkState() {}

  /** Round-trip time that is usual now; {@link Float#NaN} while the link warms up. */
  float usualMs(WanSettings settings) {
    return settings.hourOfWeek()
        ? Math.max(baseline.medianMs, week.medianMs(newestUnixNanos))
        : baseline.medianMs;
  }

  /** Usual difference from one round-trip time to the next. */
  float usualJumpMs(WanSettings settings) {
    return settings.hourOfWeek()
        ? Math.max(baseline.jumpMs, week.jumpMs(newestUnixNanos))
        : baseline.jumpMs;
  }

  /** The episode of a kind that lasts, null where there is none. */
  Episode open(WanEpisode.Kind kind) {
    for (Episode episode : episodes) {
      if (episode.kind == kind && episode.isOpen()) {
        return episode;
      }
    }
    return null;
  }

  boolean isInEpisode() {
    for (Episode episode : episodes) {
      if (episode.isOpen()) {
        return true;
      }
    }
    return false;
  }
}
