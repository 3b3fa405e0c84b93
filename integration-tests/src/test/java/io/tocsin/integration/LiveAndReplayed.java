package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Nanos;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.events.v1.Event;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.model.EnumWords;
import io.tocsin.rules.history.History;
import io.tocsin.rules.replay.AlertPath;
import io.tocsin.rules.replay.Page;
import io.tocsin.rules.replay.Story;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a stack has stored, replayed with the rules that were pushed to it and when they were,
 * beside what it told while it happened: the same alerts and the same pages.
 *
 * <p>Both are compared until some time before now, once nothing has been told for twice as long:
 * what fell due until then is told and stored by now.
 */
final class LiveAndReplayed {
  private static final Duration SETTLED = Duration.ofSeconds(10);

  /** Of what is compared; a refresh may come at any time. */
  private static final String COMPARED =
      "transition NOT IN ('refreshed', 'members_changed') AND source != 'tocsin'";

  /** Alertmanager gathers the news of a group for so long; what is shorter may reach nobody. */
  private static final long GROUP_INTERVAL_NANOS = Duration.ofSeconds(60).toNanos();

  /**
   * Alertmanager tells of a new group after {@code group_wait}, 5 s by its own clock from what
   * reached it: by the agents' clock it may be as much more, where the machine was busy.
   */
  private static final long GROUP_WAIT_NANOS = Duration.ofSeconds(10).toNanos();

  private static final String UNDER_STORM = "storm:";

  private final ClickHouseClient clickHouse;
  private final List<RuleDocument> documents;
  private final long endUnixNanos;
  private final Story story = new Story();

  /** Reads which documents were pushed when, and replays. */
  LiveAndReplayed(ClickHouseClient clickHouse, String bootstrapServers, History history) {
    this.clickHouse = clickHouse;
    documents = pushed(bootstrapServers);
    await().atMost(TestStacks.DEADLINE).until(this::isQuiet);
    endUnixNanos =
        clickHouse.rows("SELECT toUnixTimestamp64Nano(now64(9))").get(0).get(0).asLong()
            - SETTLED.toNanos();
    Documents path = new Documents();
    history.play(0, endUnixNanos, path);
    path.until(endUnixNanos);
  }

  /**
   * A transition's version is not when it was told: one that is held back goes on from the last.
   */
  private boolean isQuiet() {
    String told =
        "SELECT countIf(told_at > now64(9) - INTERVAL %d SECOND) FROM tocsin.alert_history WHERE %s"
            .formatted(2 * SETTLED.toSeconds(), COMPARED);
    return clickHouse.rows(told).get(0).get(0).asLong() == 0;
  }

  /** Every push that the topic still holds, in order. */
  private static List<RuleDocument> pushed(String bootstrapServers) {
    RulesTopic topic = new RulesTopic(KafkaConnection.of(bootstrapServers), TestStacks.DEADLINE);
    Set<RuleDocument> inForce = Set.copyOf(topic.read().documents().values());
    List<RuleDocument> all = new ArrayList<>();
    try (RulesTopic.Follower follower = topic.follow(0)) {
      await()
          .atMost(TestStacks.DEADLINE)
          .until(
              () -> {
                all.addAll(follower.poll());
                return all.containsAll(inForce);
              });
    }
    return all;
  }

  /** The way of the alerts job, with each document at its time. */
  private final class Documents implements History.Taker {
    private final AlertPath path =
        new AlertPath(AlertPath.Settings.DEFAULT, signal -> signal, story);
    private final Deque<RuleDocument> toCome =
        documents.stream()
            .sorted(Comparator.comparingLong(RuleDocument::getPushedAtUnixNanos))
            .collect(Collectors.toCollection(ArrayDeque::new));

    @Override
    public void event(Event event) {
      push(event.getReceivedAtUnixNanos());
      path.onEvent(event);
    }

    @Override
    public void said(Acknowledgement said) {
      push(said.getSaidAtUnixNanos());
      path.onSaid(said);
    }

    void until(long unixNanos) {
      push(unixNanos);
      path.advanceTo(unixNanos / Nanos.PER_MILLI);
    }

    private void push(long unixNanos) {
      while (!toCome.isEmpty() && toCome.peek().getPushedAtUnixNanos() <= unixNanos) {
        long at = toCome.peek().getPushedAtUnixNanos();
        List<RuleDocument> together = new ArrayList<>();
        while (!toCome.isEmpty() && toCome.peek().getPushedAtUnixNanos() == at) {
          together.add(toCome.poll());
        }
        path.advanceTo(at / Nanos.PER_MILLI - AlertPath.MAX_DISORDER.toMillis());
        path.onDocuments(together);
      }
    }
  }

  /** Alerts whose transitions are others, by their names, with both. */
  Map<String, String> differentAlerts() {
    Map<String, List<String>> live = new TreeMap<>();
    for (JsonNode row :
        clickHouse.rows(
            """
            SELECT concat(source, ' ', device, ' ', check, ' ', fingerprint), toString(transition), toString(state),
            toString(severity), cause FROM (SELECT DISTINCT * EXCEPT (told_at) FROM tocsin.alert_history)
            WHERE %s AND version < %d
            ORDER BY fingerprint, version
            """
                .formatted(COMPARED, endUnixNanos))) {
      live.computeIfAbsent(row.get(0).asText(), name -> new ArrayList<>())
          .add(
              words(
                  row.get(1).asText(),
                  row.get(2).asText(),
                  row.get(3).asText(),
                  row.get(4).asText()));
    }
    Map<String, List<String>> replayed = new TreeMap<>();
    story
        .moments()
        .values()
        .forEach(
            moments -> {
              Alert first = moments.get(0).alert();
              moments.stream()
                  .map(Story.Moment::alert)
                  .filter(alert -> alert.getVersion() < endUnixNanos)
                  .forEach(
                      alert ->
                          replayed
                              .computeIfAbsent(nameOf(first), name -> new ArrayList<>())
                              .add(words(alert)));
            });
    return differences(live, replayed);
  }

  private static String nameOf(Alert alert) {
    return String.join(
        " ", alert.getSource(), alert.getDevice(), alert.getCheck(), alert.getFingerprint());
  }

  private static String words(Alert alert) {
    return words(
        EnumWords.wordOf(alert.getTransition()),
        EnumWords.wordOf(alert.getState()),
        EnumWords.wordOf(alert.getSeverity()),
        alert.getCause());
  }

  private static String words(String transition, String state, String severity, String cause) {
    return String.join(" ", transition, state, severity, cause).strip();
  }

  private static Map<String, String> differences(
      Map<String, List<String>> live, Map<String, List<String>> replayed) {
    Set<String> names = new TreeSet<>(live.keySet());
    names.addAll(replayed.keySet());
    Map<String, String> differences = new TreeMap<>();
    for (String name : names) {
      List<String> was = settled(live.getOrDefault(name, List.of()));
      List<String> is = settled(replayed.getOrDefault(name, List.of()));
      if (!was.equals(is)) {
        differences.put(name, "live %s, replayed %s".formatted(was, is));
      }
    }
    return differences;
  }

  /**
   * Pages that one of both has alone, by the names of their alerts. One that was over before
   * Alertmanager told its group, live or replayed, is as good as none.
   */
  Map<String, String> differentPages() {
    Map<String, String> differences = new TreeMap<>();
    Set<String> live = livePages(Long.MAX_VALUE);
    Set<String> replayed = new TreeSet<>();
    Set<String> mayHavePaged = new TreeSet<>(membersOfStorms());
    mayHavePaged.addAll(suppressedSoon());
    for (List<Page> pages : story.pages().values()) {
      for (Page page : pages) {
        String name = nameOf(page);
        replayed.add(name);
        boolean isShort = page.endedAtUnixNanos() - page.beganAtUnixNanos() < GROUP_INTERVAL_NANOS;
        if (page.beganAtUnixNanos() < endUnixNanos && !isShort && !live.contains(name)) {
          differences.put(name, "replayed alone");
        }
      }
    }
    livePages(endUnixNanos).stream()
        .filter(name -> !replayed.contains(name) && !mayHavePaged.contains(name.strip()))
        .forEach(name -> differences.put(name, "live alone"));
    return differences;
  }

  /** They may have paged before the storm was one. */
  private Set<String> membersOfStorms() {
    return story.moments().values().stream()
        .flatMap(List::stream)
        .map(Story.Moment::alert)
        .filter(alert -> alert.getCause().startsWith(UNDER_STORM))
        .map(LiveAndReplayed::nameOf)
        .collect(Collectors.toSet());
  }

  /** Those that came under another alert when Alertmanager may just have told of them, or not. */
  private Set<String> suppressedSoon() {
    Set<String> names = new TreeSet<>();
    for (List<Story.Moment> moments : story.moments().values()) {
      for (int i = 1; i < moments.size(); i++) {
        Story.Moment open = moments.get(i - 1);
        Story.Moment next = moments.get(i);
        if (open.alert().getCause().isEmpty()
            && !next.alert().getCause().isEmpty()
            && next.atUnixNanos() - open.atUnixNanos() < GROUP_WAIT_NANOS) {
          names.add(nameOf(open.alert()));
        }
      }
    }
    return names;
  }

  private static String nameOf(Page page) {
    return nameOf(page.alert()) + " " + page.alert().getLabelsOrDefault("outlived", "");
  }

  private Set<String> livePages(long untilUnixNanos) {
    Set<String> names = new TreeSet<>();
    for (JsonNode row :
        clickHouse.rows(
            """
            SELECT DISTINCT concat(JSONExtractString(labels, 'source'), ' ', JSONExtractString(labels, 'device'), ' ',
            JSONExtractString(labels, 'alertname'), ' ', JSONExtractString(labels, 'fingerprint'), ' ',
            JSONExtractString(labels, 'outlived'))
            FROM (SELECT sent_at, arrayJoin(JSONExtractArrayRaw(raw, 'alerts')) AS alert, JSONExtractRaw(alert, 'labels') AS labels
            FROM tocsin.pages) WHERE JSONExtractString(alert, 'status') = 'firing' AND JSONHas(labels, 'fingerprint')
            AND toUnixTimestamp64Milli(sent_at) < %d
            """
                .formatted(untilUnixNanos / Nanos.PER_MILLI))) {
      names.add(row.get(0).asText());
    }
    return names;
  }

  /**
   * What of an alert does not hang on the order in which partitions were read, which no row keeps:
   * it is as good as opened under another one where it comes under it at once, and of what belonged
   * to a storm it is left open which came before the storm was one.
   */
  private static List<String> settled(List<String> transitions) {
    boolean isOfStorm = transitions.stream().anyMatch(each -> each.contains(UNDER_STORM));
    List<String> kept = new ArrayList<>();
    for (String transition : transitions) {
      String last = kept.isEmpty() ? "" : kept.get(kept.size() - 1);
      boolean comesUnder = transition.startsWith("suppressed ");
      if (isOfStorm) {
        if (!comesUnder) {
          kept.add(transition.substring(0, transition.indexOf(' ')));
        }
      } else if (comesUnder && last.startsWith("opened open ")) {
        kept.set(kept.size() - 1, transition.replaceFirst("suppressed", "opened"));
      } else {
        kept.add(transition);
      }
    }
    return kept;
  }

  /** How many alerts came of it. */
  int alerts() {
    return story.moments().size();
  }

  /** How many pages came of it. */
  int pages() {
    return story.pages().values().stream().mapToInt(List::size).sum();
  }
}
