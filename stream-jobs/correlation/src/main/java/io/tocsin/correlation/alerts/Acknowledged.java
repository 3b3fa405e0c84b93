package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.model.EnumWords;

/**
 * What people have said of one alert. Bounded: the texts of a word are, and only the newest of each
 * kind is kept. Times are Unix nanoseconds.
 */
public final class Acknowledged {
  /** How many words are known again when they are delivered twice. */
  static final int WORDS_REMEMBERED = 8;

  /** Who works on it; empty while nobody does. */
  public String by = "";

  /** Since when, by the broker's clock. */
  public long atUnixNanos;

  /** When that ends by itself; {@link Long#MAX_VALUE} where it lasts as long as the alert. */
  public long untilUnixNanos = Long.MAX_VALUE;

  /** The worst severity that it covers; unspecified for whatever it was when it was said. */
  public Severity severity = Severity.SEVERITY_UNSPECIFIED;

  /** Newest note; empty where there is none. */
  public String note = "";

  /** Who wrote it. */
  public String notedBy = "";

  /** When. */
  public long notedAtUnixNanos;

  /** Id of the newest word. */
  public String newestId = "";

  /** When the newest word was said. */
  public long saidAtUnixNanos;

  /** Whether it is told of the alert. Until then it waits for one that is not read yet. */
  public boolean isTold;

  /** Hashes of the ids of the newest words, in order of arrival. */
  public long[] words = {};

  /** For Flink, which makes it by its fields. */
  public Acknowledged() {}

  boolean isRepeated(Acknowledgement said) {
    return HashedIds.contains(words, EventHash.of(said.getAcknowledgementId()));
  }

  void take(Acknowledgement said) {
    words = HashedIds.appended(words, EventHash.of(said.getAcknowledgementId()), WORDS_REMEMBERED);
    newestId = said.getAcknowledgementId();
    saidAtUnixNanos = said.getSaidAtUnixNanos();
    switch (said.getAction()) {
      case ACTION_ACKNOWLEDGE -> acknowledge(said);
      case ACTION_UNACKNOWLEDGE -> release();
      case ACTION_NOTE, ACTION_UNSPECIFIED, UNRECOGNIZED -> {}
    }
    if (!said.getNote().isEmpty()) {
      note = said.getNote();
      notedBy = said.getBy();
      notedAtUnixNanos = said.getSaidAtUnixNanos();
    }
  }

  private void acknowledge(Acknowledgement said) {
    long seconds = Integer.toUnsignedLong(said.getForSeconds());
    by = said.getBy();
    atUnixNanos = said.getSaidAtUnixNanos();
    untilUnixNanos = seconds == 0 ? Long.MAX_VALUE : atUnixNanos + seconds * Nanos.PER_SECOND;
    severity = said.getSeverity();
  }

  /** Nobody works on it any more; what was noted stays. */
  void release() {
    by = "";
    atUnixNanos = 0;
    untilUnixNanos = Long.MAX_VALUE;
    severity = Severity.SEVERITY_UNSPECIFIED;
  }

  boolean isAcknowledged() {
    return !by.isEmpty();
  }

  boolean isNothing() {
    return by.isEmpty() && note.isEmpty();
  }

  /** Whether a word is of this occurrence, and an acknowledgement covers how bad it is. */
  static boolean concerns(Alert alert, Acknowledgement said) {
    long at = said.getSaidAtUnixNanos();
    return said.getAction() == Acknowledgement.Action.ACTION_ACKNOWLEDGE
        ? covers(alert, at, said.getSeverity())
        : at >= alert.getOpenedAtUnixNanos();
  }

  /** By times and severities alone, and not by what was read first. */
  private static boolean covers(Alert alert, long at, Severity severity) {
    return at >= alert.getOpenedAtUnixNanos()
        && (EnumWords.isSpecified(severity)
            ? alert.getSeverityValue() <= severity.getNumber()
            : at >= alert.getWorseSinceUnixNanos());
  }

  /**
   * Drops what is not of this occurrence, or does not cover how bad it is now.
   *
   * @return whether anything was dropped
   */
  boolean dropWhatIsNotOf(Alert alert) {
    boolean isNoteOld = !note.isEmpty() && notedAtUnixNanos < alert.getOpenedAtUnixNanos();
    if (isNoteOld) {
      note = "";
      notedBy = "";
    }
    boolean isUncovered = isAcknowledged() && !covers(alert, atUnixNanos, severity);
    if (isUncovered) {
      release();
    }
    return isNoteOld || isUncovered;
  }

  /** An active alert, with this. */
  Alert on(Alert alert) {
    Alert.Builder with = alert.toBuilder().setNote(note).setNotedBy(notedBy);
    if (isAcknowledged()) {
      with.setAcknowledgedBy(by).setAcknowledgedAtUnixNanos(atUnixNanos);
      if (untilUnixNanos != Long.MAX_VALUE) {
        with.setAcknowledgedUntilUnixNanos(untilUnixNanos);
      }
    }
    return with.build();
  }
}
