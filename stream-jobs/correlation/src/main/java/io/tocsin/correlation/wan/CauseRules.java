package io.tocsin.correlation.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.wan.v1.WanEpisode.Cause;
import io.tocsin.wan.v1.WanEpisode.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the cause of an episode from the interface that the link leaves through and from its
 * device's syslog, in event time.
 *
 * <p>Full is an interface whose load in a poll that overlaps the episode reaches the limit, or
 * whose queue threw packets away at more than three times the rate of before: a burst that is
 * shorter than the poll shows in discards alone. Room is proven only where what was sent, had it
 * all been sent within the episode, would still leave some, and nothing was thrown away. What is
 * neither is not explained by the interface.
 */
public final class CauseRules {
  private static final long SYSLOG_BEFORE_NANOS = 60 * Nanos.PER_SECOND;
  private static final long SYSLOG_AFTER_NANOS = 10 * Nanos.PER_SECOND;
  private static final int MOST_LINES = 5;
  private static final double LEAST_DISCARDS_PER_SECOND = 0.1;
  private static final double RISE_OF_DISCARDS = 3;
  private static final double LEAST_OVERLAP = 0.1;

  private final WanSettings settings;

  /** Rules with their settings. */
  public CauseRules(WanSettings settings) {
    this.settings = settings;
  }

  /**
   * Judges an episode anew; a better cause replaces a worse one, and none is taken back.
   *
   * @param untilUnixNanos end of the episode, or now
   * @return whether the cause changed
   */
  boolean judge(
      Episode episode, long untilUnixNanos, InterfaceHistory polls, SyslogHistory syslog) {
    List<LoadSample> during = during(episode, untilUnixNanos, polls);
    Cause cause = causeOf(episode, untilUnixNanos, during, rateBefore(episode, polls));
    boolean isBetter = rank(cause) > rank(episode.cause);
    if (isBetter) {
      episode.cause = cause;
    }
    episode.evidence.removeIf(fact -> isFromHistory(fact.name()));
    episode.evidence.addAll(figures(during));
    episode.evidence.addAll(lines(episode, untilUnixNanos, syslog));
    return isBetter;
  }

  /** Evidence that is read anew at each judgement. */
  private static boolean isFromHistory(String name) {
    return switch (name) {
      case "out_load", "out_bps", "out_discards", "in_errors", "interface_down", "syslog" -> true;
      default -> false;
    };
  }

  static int rank(Cause cause) {
    return switch (cause) {
      case CAUSE_UNSPECIFIED, CAUSE_UNEXPLAINED, UNRECOGNIZED -> 0;
      case CAUSE_LOSS_WITHOUT_CONGESTION -> 1;
      case CAUSE_PATH_CHANGE -> 2;
      case CAUSE_EGRESS_SATURATED -> 3;
      case CAUSE_REMOTE_UNREACHABLE -> 4;
    };
  }

  private static List<LoadSample> during(Episode episode, long until, InterfaceHistory polls) {
    List<LoadSample> during = new ArrayList<>();
    for (LoadSample sample : polls.samples) {
      if (sample.shareWithin(episode.startedAtUnixNanos, until) >= LEAST_OVERLAP) {
        during.add(sample);
      }
    }
    return during;
  }

  /** Discards a second in the last poll that ended before the episode, 0 where there is none. */
  private static double rateBefore(Episode episode, InterfaceHistory polls) {
    double rate = 0;
    for (LoadSample sample : polls.samples) {
      if (sample.atUnixNanos() <= episode.startedAtUnixNanos
          && !Double.isNaN(sample.outDiscardsPerSecond())) {
        rate = sample.outDiscardsPerSecond();
      }
    }
    return rate;
  }

  private Cause causeOf(Episode episode, long until, List<LoadSample> during, double rateBefore) {
    if (episode.kind == Kind.KIND_DOWN) {
      return Cause.CAUSE_UNEXPLAINED;
    }
    boolean hasRoom = false;
    for (LoadSample sample : during) {
      if (isFull(sample, rateBefore)) {
        return Cause.CAUSE_EGRESS_SATURATED;
      }
      hasRoom |= hasRoom(sample, sample.shareWithin(episode.startedAtUnixNanos, until));
    }
    return episode.kind == Kind.KIND_LOSS && hasRoom
        ? Cause.CAUSE_LOSS_WITHOUT_CONGESTION
        : Cause.CAUSE_UNEXPLAINED;
  }

  private boolean isFull(LoadSample sample, double rateBefore) {
    return sample.outLoad() >= settings.saturatedLoad()
        || sample.outDiscardsPerSecond()
            > Math.max(LEAST_DISCARDS_PER_SECOND, RISE_OF_DISCARDS * rateBefore);
  }

  /** Where only discards are known, none of them are proof enough. */
  private boolean hasRoom(LoadSample sample, double overlap) {
    boolean keepsAll =
        Double.isNaN(sample.outDiscardsPerSecond())
            || sample.outDiscardsPerSecond() <= LEAST_DISCARDS_PER_SECOND;
    boolean isIdle =
        Double.isNaN(sample.outLoad())
            ? !Double.isNaN(sample.outDiscardsPerSecond())
            : sample.outLoad() / overlap < settings.saturatedLoad();
    return keepsAll && isIdle;
  }

  /** The figures of the most loaded poll, and the sums of all. */
  private static List<Fact> figures(List<LoadSample> during) {
    List<Fact> facts = new ArrayList<>();
    LoadSample fullest = null;
    double discards = 0;
    double errors = 0;
    for (LoadSample sample : during) {
      if (fullest == null || load(sample) > load(fullest)) {
        fullest = sample;
      }
      discards += count(sample.outDiscardsPerSecond(), sample);
      errors += count(sample.inErrorsPerSecond(), sample);
    }
    if (fullest == null) {
      return facts;
    }
    String event = fullest.eventId();
    long at = fullest.atUnixNanos();
    if (!Double.isNaN(fullest.outLoad())) {
      facts.add(Fact.figure("out_load", fullest.outLoad(), "ratio", event, at));
    }
    if (!Double.isNaN(fullest.outBps())) {
      facts.add(Fact.figure("out_bps", fullest.outBps(), "bit/s", event, at));
    }
    if (fullest.hasRates()) {
      facts.add(Fact.figure("out_discards", discards, "packets", event, at));
    }
    if (errors > 0) {
      facts.add(Fact.figure("in_errors", errors, "packets", event, at));
    }
    LoadSample newest = during.get(during.size() - 1);
    if (newest.isDown()) {
      facts.add(Fact.figure("interface_down", 1, "", newest.eventId(), newest.atUnixNanos()));
    }
    return facts;
  }

  private static double load(LoadSample sample) {
    return Double.isNaN(sample.outLoad()) ? -1 : sample.outLoad();
  }

  private static double count(double perSecond, LoadSample sample) {
    return Double.isNaN(perSecond) ? 0 : Math.rint(perSecond * sample.intervalNanos() / 1e9);
  }

  private static List<Fact> lines(Episode episode, long until, SyslogHistory syslog) {
    List<Fact> lines = new ArrayList<>();
    for (Fact line : syslog.lines) {
      long at = line.observedAtUnixNanos();
      if (at >= episode.startedAtUnixNanos - SYSLOG_BEFORE_NANOS
          && at <= until + SYSLOG_AFTER_NANOS
          && lines.size() < MOST_LINES) {
        lines.add(line);
      }
    }
    return lines;
  }
}
