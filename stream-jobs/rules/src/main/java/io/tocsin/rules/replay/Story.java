package io.tocsin.rules.replay;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.Tombstone;
import io.tocsin.correlation.paging.PagingRules;
import io.tocsin.model.Heartbeat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What came of one set of rules: each alert with its moments, and the pages of it. */
public final class Story implements AlertPath.Taker {
  /** So long that no post is repeated: a repeat pages nobody. */
  private static final Duration NEVER_AGAIN = Duration.ofDays(36_500);

  /**
   * Alertmanager waits so long (its {@code group_wait}) before it tells of a new group: what is
   * told under a storm by then has reached nobody.
   */
  private static final long GROUP_WAIT_NANOS = 5 * Nanos.PER_SECOND;

  private final Map<String, List<Moment>> moments = new TreeMap<>();
  private final Map<String, List<Page>> pages = new TreeMap<>();
  private final KeyedMemory<PagingRules.Word, io.tocsin.correlation.paging.Page, Alert> pager =
      new KeyedMemory<>(new PagingRules(NEVER_AGAIN));
  private long atUnixNanos;

  /** A transition, and when it was told by the agents' clock. */
  public record Moment(Alert alert, long atUnixNanos) {}

  @Override
  public void told(Alert alert, long at) {
    if (Tombstone.is(alert) || Heartbeat.is(alert)) {
      return;
    }
    if (!saysNothingNew(alert.getTransition())) {
      moments
          .computeIfAbsent(alert.getFingerprint(), fingerprint -> new ArrayList<>())
          .add(new Moment(alert, at));
    }
    pager.fireUntil(at / Nanos.PER_MILLI, this::onPost);
    atUnixNanos = at;
    pager.onInput(alert.getFingerprint(), new PagingRules.Word(alert, at), this::onPost);
  }

  private static boolean saysNothingNew(AlertTransition transition) {
    return transition == AlertTransition.ALERT_TRANSITION_REFRESHED
        || transition == AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED;
  }

  /**
   * What Alertmanager is told; what keeps it from paging an acknowledged alert again is no page.
   */
  private void onPost(Alert post) {
    if (post.getSource().equals("tocsin") && post.getCheck().equals("acknowledged")) {
      return;
    }
    List<Page> known = pages.computeIfAbsent(post.getFingerprint(), key -> new ArrayList<>());
    Page last = known.isEmpty() ? null : known.get(known.size() - 1);
    boolean isOpen = last != null && last.endedAtUnixNanos() == Page.LASTS;
    if (!pages(post)) {
      if (isOpen) {
        Page ended =
            new Page(last.alert(), last.beganAtUnixNanos(), atUnixNanos, last.worst(), post);
        known.remove(known.size() - 1);
        if (reachedSomebody(ended)) {
          known.add(ended);
        }
      }
    } else if (isOpen) {
      set(known, last, post);
    } else if (last != null && last.endedAtUnixNanos() == atUnixNanos && isChange(last, post)) {
      // Ended and posted in the same breath: another severity.
      set(known, last, post);
    } else {
      known.add(new Page(post, atUnixNanos, Page.LASTS, post.getSeverity(), null));
    }
  }

  private static boolean isChange(Page last, Alert post) {
    return last.end().getFirstSeenUnixNanos() == post.getFirstSeenUnixNanos()
        && outlived(last.alert()).equals(outlived(post));
  }

  /** What it outlived, which pages people anew. */
  private static String outlived(Alert alert) {
    return alert.getLabelsOrDefault("outlived", "");
  }

  private static boolean reachedSomebody(Page ended) {
    return ended.end().getCause().isEmpty()
        || ended.endedAtUnixNanos() - ended.beganAtUnixNanos() >= GROUP_WAIT_NANOS;
  }

  private static void set(List<Page> known, Page last, Alert post) {
    Severity worst =
        post.getSeverity().compareTo(last.worst()) > 0 ? post.getSeverity() : last.worst();
    known.set(
        known.size() - 1, new Page(last.alert(), last.beganAtUnixNanos(), Page.LASTS, worst, null));
  }

  private static boolean pages(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_OPEN
        || alert.getState() == AlertState.ALERT_STATE_FLAPPING;
  }

  /** Pages by fingerprint, each list in order of time. */
  public Map<String, List<Page>> pages() {
    return pages;
  }

  /** Transitions by fingerprint, in order, but those that say that nothing has changed. */
  public Map<String, List<Moment>> moments() {
    return moments;
  }

  /** The newest transition of an alert until a time, null where there is none. */
  Moment standing(String fingerprint, long unixNanos) {
    Moment newest = null;
    for (Moment moment : moments.getOrDefault(fingerprint, List.of())) {
      if (moment.atUnixNanos() <= unixNanos) {
        newest = moment;
      }
    }
    return newest;
  }

  /** What an alert is, in the words of people; the fingerprint where it never was. */
  String nameOf(String fingerprint) {
    List<Moment> known = moments.get(fingerprint);
    if (known == null) {
      return fingerprint;
    }
    Alert alert = known.get(0).alert();
    return Stream.of(alert.getSource(), alert.getDevice(), alert.getCheck())
        .filter(word -> !word.isEmpty())
        .collect(Collectors.joining(" "));
  }
}
