package io.tocsin.correlation.wan;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import io.tocsin.correlation.Step;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Plays the probes of one link, one a second from noon on, and keeps what is told. */
final class LinkStory {
  private final LinkRules rules;
  private final Random random = new Random(1);
  private final List<WanEpisode> told = new ArrayList<>();
  private final InterfaceHistory polls = new InterfaceHistory();
  private final SyslogHistory syslog = new SyslogHistory();
  private LinkState link;
  private int second;

  LinkStory() {
    this(WanSettings.defaults());
  }

  LinkStory(WanSettings settings) {
    rules = new LinkRules(settings);
  }

  /** So many answers around a round-trip time, with a hundredth of it as noise. */
  LinkStory answers(int count, double rttMs) {
    for (int i = 0; i < count; i++) {
      probe((float) (rttMs * (1 + 0.01 * random.nextGaussian())));
    }
    return this;
  }

  LinkStory lost(int count) {
    for (int i = 0; i < count; i++) {
      probe(Float.NaN);
    }
    return this;
  }

  /** So many probes of which every n-th is lost. */
  LinkStory everyNthLost(int count, int n, double rttMs) {
    for (int i = 0; i < count; i++) {
      if (i % n == 0) {
        lost(1);
      } else {
        answers(1, rttMs);
      }
    }
    return this;
  }

  /** Answers that differ from one to the next by twice an amount. */
  LinkStory shaking(int count, double rttMs, double byMs) {
    for (int i = 0; i < count; i++) {
      probe((float) (rttMs + (i % 2 == 0 ? byMs : -byMs)));
    }
    return this;
  }

  /** The agent was stopped for so long. */
  LinkStory silence(int seconds) {
    second += seconds;
    return this;
  }

  /** A poll of the link's interface now, of the last seconds. */
  LinkStory poll(int seconds, double load, double discardsPerSecond) {
    return pollAt(second, seconds, load, discardsPerSecond);
  }

  LinkStory pollAt(int at, int seconds, double load, double discardsPerSecond) {
    polls.add(
        new LoadSample(
            at(at),
            seconds * 1_000_000_000L,
            load,
            load * 1e8,
            discardsPerSecond,
            0,
            false,
            "poll-" + at));
    if (link != null) {
      told.addAll(rules.onPoll(link, polls, syslog).decisions());
    }
    return this;
  }

  private void probe(float rttMs) {
    Probe probe =
        new Probe(
            "probe-" + second,
            "dc1-dc2",
            "edge-1",
            "Gi0/1",
            "dc1",
            "dc2",
            at(second),
            rttMs,
            1_000);
    Step<LinkState, WanEpisode> step = rules.onProbe(link, probe, polls, syslog);
    link = step.state();
    told.addAll(step.decisions());
    second++;
  }

  private static long at(int second) {
    return unixNanos(NOON) + second * 1_000_000_000L;
  }

  static Instant instant(int second) {
    return NOON.plusSeconds(second);
  }

  /** What was told, as "kind state cause", without the refreshes of what lasts. */
  List<String> told() {
    List<String> words = new ArrayList<>(toldWithRefreshes());
    for (int i = words.size() - 1; i > 0; i--) {
      if (words.get(i).equals(words.get(i - 1))) {
        words.remove(i);
      }
    }
    return words;
  }

  List<String> toldWithRefreshes() {
    return told.stream()
        .map(
            episode ->
                Episode.word(episode.getKind())
                    + " "
                    + word(episode.getState().name(), "STATE_")
                    + " "
                    + word(episode.getCause().name(), "CAUSE_"))
        .toList();
  }

  private static String word(String name, String prefix) {
    return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }

  List<WanEpisode> episodes() {
    return told;
  }

  WanEpisode last() {
    return told.get(told.size() - 1);
  }

  /** A figure of the newest transition. */
  double figure(String name) {
    return last().getEvidenceList().stream()
        .filter(evidence -> evidence.getName().equals(name))
        .mapToDouble(Evidence::getValue)
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is no evidence of " + last()));
  }

  LinkState link() {
    return link;
  }

  /** Seconds from noon to an event time. */
  static double seconds(long unixNanos) {
    return (unixNanos - unixNanos(NOON)) / 1e9;
  }
}
