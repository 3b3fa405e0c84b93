package io.tocsin.correlation.wan.scoring;

import io.tocsin.correlation.Step;
import io.tocsin.correlation.wan.InterfaceHistory;
import io.tocsin.correlation.wan.LinkRules;
import io.tocsin.correlation.wan.LinkState;
import io.tocsin.correlation.wan.Probe;
import io.tocsin.correlation.wan.SyslogHistory;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.wan.v1.WanEpisode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rules of this package, as the job runs them. */
final class EpisodeDetector implements Detector {
  private static final long START = 1_800_000_000_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  private final LinkRules rules = new LinkRules(WanSettings.defaults());

  @Override
  public String name() {
    return "Tocsin";
  }

  @Override
  public List<Finding> find(float[] rttsMs) {
    Map<String, Finding> found = new LinkedHashMap<>();
    LinkState link = null;
    InterfaceHistory polls = new InterfaceHistory();
    SyslogHistory syslog = new SyslogHistory();
    for (int t = 0; t < rttsMs.length; t++) {
      Probe probe =
          new Probe("e" + t, "link", "edge", "", "", "", START + t * SECOND, rttsMs[t], 1_000);
      Step<LinkState, WanEpisode> step = rules.onProbe(link, probe, polls, syslog);
      link = step.state();
      for (WanEpisode episode : step.decisions()) {
        Finding before = found.get(episode.getEpisodeId());
        found.put(
            episode.getEpisodeId(),
            new Finding(
                episode.getKind().name(),
                before == null ? t : before.openedAt(),
                second(episode.getStartedAtUnixNanos()),
                episode.hasEndedAtUnixNanos()
                    ? second(episode.getEndedAtUnixNanos())
                    : rttsMs.length));
      }
    }
    return new ArrayList<>(found.values());
  }

  private static int second(long unixNanos) {
    return (int) ((unixNanos - START) / SECOND);
  }
}
