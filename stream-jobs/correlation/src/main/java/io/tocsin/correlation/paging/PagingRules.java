package io.tocsin.correlation.paging;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what the pager is told when.
 *
 * <p><b>The last word of the topic wins.</b> After a failure the alerts job tells again what it
 * told since its last checkpoint, and may tell it differently: what belonged to a storm may be
 * alone now. So a word with a higher version is news; a word that goes back in versions can only be
 * a replay. Where it says what is posted, nothing is to be done. Where it says something else it is
 * a correction: believed when nothing else was said of the alert for {@link #CORRECTION_GRACE}, so
 * that a replay which ends where the first run ended posts nothing.
 *
 * <p>An alert that is suppressed is not posted; one that becomes so is ended there, since what
 * explains it is paged in its place. When it is suppressed no more it is posted like a new one,
 * with the label {@link #OUTLIVED}: Alertmanager tells news of a group that has been told only
 * after group_interval, and what outlived its reason is to be told at once, so it needs a group of
 * its own. An alert that flaps is posted as active all the time.
 *
 * <p>Alertmanager knows an alert by its labels, and would page for the same alert again if they
 * changed. So an alert keeps the labels with which it opened; only a change of severity makes a new
 * one there, and then the old one is ended in the same breath.
 *
 * <p><b>An acknowledged alert</b> is posted as before, so that its page stays open and its end is
 * told. Beside it an alert {@code acknowledged} of source {@code tocsin} is posted with its
 * fingerprint and severity, which inhibits it there: no repeat_interval pages it again. It keeps
 * the severity of its page meanwhile. When nobody works on it any more and it is still there, it is
 * posted like a new one, labelled {@link #OUTLIVED}; when it becomes worse, as any other.
 *
 * <p>Time is the job's, handed in by the operator: Alertmanager expires by the wall clock what is
 * not repeated to it.
 */
public final class PagingRules implements KeyedRules<PagingRules.Word, Page, Alert> {
  /**
   * Label of an alert that is still there at the end of what kept it from paging: {@code storm},
   * {@code dependency}, {@code maintenance} or {@code acknowledgement}. Routes group by it.
   */
  static final String OUTLIVED = "outlived";

  private static final String ACKNOWLEDGEMENT = "acknowledgement";

  /** Of an alert that outlives a second acknowledgement: the same labels would be no news there. */
  private static final String ANOTHER_ACKNOWLEDGEMENT = "another acknowledgement";

  /** How long nothing else may be said of an alert before a correction is believed. */
  public static final Duration CORRECTION_GRACE = Duration.ofSeconds(10);

  private static final long FORGET_AFTER_NANOS = Duration.ofDays(1).toNanos();

  private final long resendIntervalNanos;

  /**
   * Rules of one pager.
   *
   * @param resendInterval between two posts of an alert that pages
   */
  public PagingRules(Duration resendInterval) {
    this.resendIntervalNanos = resendInterval.toNanos();
  }

  /**
   * What the topic says of an alert.
   *
   * @param readAtUnixNanos by the job's clock
   */
  public record Word(Alert alert, long readAtUnixNanos) {}

  @Override
  public Step<Page, Alert> onInput(Page known, Word word) {
    Page page = known == null ? new Page() : known;
    Alert posted = page.posted();
    Alert alert = word.alert();
    if (posted == null || alert.getVersion() > posted.getVersion()) {
      return believe(page, posted, alert, word.readAtUnixNanos());
    }
    if (saysTheSame(posted, alert)) {
      page.keepPosted();
    } else {
      page.correctAt(alert, word.readAtUnixNanos() + CORRECTION_GRACE.toNanos());
    }
    return Step.keep(page, page.nextTimer());
  }

  @Override
  public Step<Page, Alert> onTimer(Page page, long nowUnixNanos) {
    if (page.correctsAtUnixNanos <= nowUnixNanos) {
      return believe(page, page.posted(), page.correction(), nowUnixNanos);
    }
    if (page.dueUnixNanos > nowUnixNanos) {
      return Step.keep(page, page.nextTimer());
    }
    Alert posted = page.posted();
    if (!pages(posted)) {
      return Step.forget(List.of());
    }
    page.post(posted, nowUnixNanos + resendIntervalNanos);
    List<Alert> posts = new ArrayList<>(List.of(posted));
    if (isAcknowledged(posted)) {
      posts.add(inhibitorOf(posted));
    }
    return new Step<>(page, posts, page.nextTimer());
  }

  private static boolean saysTheSame(Alert posted, Alert alert) {
    return pages(posted) == pages(alert)
        && isSuppressed(posted) == isSuppressed(alert)
        && isAcknowledged(posted) == isAcknowledged(alert)
        && (!pages(posted)
            || isAcknowledged(posted)
            || posted.getSeverity() == alert.getSeverity());
  }

  /** Whether it pages nobody again, because somebody works on it. */
  private static boolean isAcknowledged(Alert alert) {
    return pages(alert) && !alert.getAcknowledgedBy().isEmpty();
  }

  private static boolean pages(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_OPEN
        || alert.getState() == AlertState.ALERT_STATE_FLAPPING;
  }

  private static boolean isSuppressed(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_SUPPRESSED;
  }

  private Step<Page, Alert> believe(Page page, Alert posted, Alert alert, long now) {
    page.keepPosted();
    List<Alert> posts = new ArrayList<>();
    if (pages(alert)) {
      onActive(page, posted, alert, now, posts);
    } else if (isSuppressed(alert)) {
      onSuppressed(page, posted, alert, posts);
    } else {
      onOver(page, posted, alert, now, posts);
    }
    inhibit(posted, page.posted(), posts);
    return new Step<>(page, posts, page.nextTimer());
  }

  private void onActive(Page page, Alert posted, Alert alert, long now, List<Alert> posts) {
    if (posted == null || !pages(posted)) {
      Alert news = posted != null && isSuppressed(posted) ? outliving(posted, alert) : alert;
      page.post(news, now + resendIntervalNanos);
      posts.add(news);
      return;
    }
    Alert next = following(posted, alert);
    page.post(next, page.dueUnixNanos);
    if (next.getSeverity() != posted.getSeverity()
        || !next.getLabelsMap().equals(posted.getLabelsMap())) {
      posts.add(endedBy(next, posted));
      posts.add(next);
    } else if (changesWhatItSays(alert.getTransition())) {
      posts.add(next);
    }
  }

  private static boolean changesWhatItSays(AlertTransition transition) {
    return switch (transition) {
      case ALERT_TRANSITION_MEMBERS_CHANGED,
          ALERT_TRANSITION_ACKNOWLEDGED,
          ALERT_TRANSITION_NOTED ->
          true;
      default -> false;
    };
  }

  /** What follows on an alert that is posted and still pages. */
  private static Alert following(Alert posted, Alert alert) {
    Alert.Builder next = withLabelsOf(posted, alert);
    if (isAcknowledged(posted) && isAcknowledged(alert)) {
      return next.setSeverity(posted.getSeverity()).build();
    }
    if (isAcknowledged(posted) && alert.getSeverity() == posted.getSeverity()) {
      boolean isFirst = !posted.getLabelsOrDefault(OUTLIVED, "").equals(ACKNOWLEDGEMENT);
      return next.putLabels(OUTLIVED, isFirst ? ACKNOWLEDGEMENT : ANOTHER_ACKNOWLEDGEMENT).build();
    }
    return next.build();
  }

  /** Begins and ends what inhibits an acknowledged alert, which has its severity. */
  private static void inhibit(Alert before, Alert after, List<Alert> posts) {
    boolean wasInhibited = before != null && isAcknowledged(before);
    boolean isInhibited = isAcknowledged(after);
    boolean isTheSame = wasInhibited && isInhibited && before.getSeverity() == after.getSeverity();
    if (wasInhibited && !isTheSame) {
      posts.add(endedBy(after, inhibitorOf(before)));
    }
    if (isInhibited && !isTheSame) {
      posts.add(inhibitorOf(after));
    }
  }

  private static Alert inhibitorOf(Alert acknowledged) {
    return acknowledged.toBuilder()
        .setCheck("acknowledged")
        .setSource("tocsin")
        .clearSite()
        .clearLabels()
        .setSummary("acknowledged by " + acknowledged.getAcknowledgedBy())
        .build();
  }

  /**
   * What was suppressed and is active, labelled with the kind of its last cause, and what it was.
   */
  private static Alert outliving(Alert suppressed, Alert alert) {
    String cause = suppressed.getCause();
    int kindEnd = cause.indexOf(':');
    String kind = kindEnd < 0 ? cause : cause.substring(0, kindEnd);
    return kind.isEmpty()
        ? alert
        : alert.toBuilder()
            .putLabels(OUTLIVED, kind)
            .clearHeldBack()
            .addAllHeldBack(suppressed.getHeldBackList())
            .build();
  }

  private static void onSuppressed(Page page, Alert posted, Alert alert, List<Alert> posts) {
    page.post(alert, Step.NO_TIMER);
    if (posted != null && pages(posted)) {
      posts.add(endedBy(alert, posted).toBuilder().setCause(alert.getCause()).build());
    }
  }

  private static void onOver(Page page, Alert posted, Alert alert, long now, List<Alert> posts) {
    boolean isKnown = posted != null && pages(posted);
    Alert over =
        isKnown ? withLabelsOf(posted, alert).setSeverity(posted.getSeverity()).build() : alert;
    page.post(over, now + FORGET_AFTER_NANOS);
    if (isKnown || posted == null) {
      posts.add(over);
    }
  }

  private static Alert.Builder withLabelsOf(Alert posted, Alert alert) {
    Alert.Builder next = alert.toBuilder().clearLabels().putAllLabels(posted.getLabelsMap());
    return alert.getHeldBackCount() > 0 ? next : next.addAllHeldBack(posted.getHeldBackList());
  }

  /** The alert as Alertmanager knows it, over at the time of the transition that changed it. */
  private static Alert endedBy(Alert successor, Alert posted) {
    return posted.toBuilder()
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setTransition(AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setResolvedAtUnixNanos(Math.max(posted.getFirstSeenUnixNanos(), successor.getVersion()))
        .build();
  }
}
