package io.tocsin.correlation.paging;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;

/**
 * What the pager knows of one alert. It is forgotten a day after the alert is over. Times are Unix
 * nanoseconds of the job's clock.
 */
public final class Page extends TimedState {
  private static final byte[] NOTHING = {};

  /** Bytes of the alert as the pager was told; of a suppressed one, as the topic told it. */
  public byte[] posted = NOTHING;

  /** Bytes of a word that goes back behind what is posted; empty where there is none. */
  public byte[] correction = NOTHING;

  /** When the correction is believed. */
  public long correctsAtUnixNanos = Step.NO_TIMER;

  /** When it is posted again while it pages, and forgotten when it is over. */
  public long dueUnixNanos = Step.NO_TIMER;

  /** For Flink, which makes it by its fields. */
  public Page() {}

  /** What is posted, null where nothing is. */
  Alert posted() {
    return parse(posted);
  }

  /** The word that waits, null where none does. */
  Alert correction() {
    return parse(correction);
  }

  void post(Alert alert, long due) {
    posted = alert.toByteArray();
    dueUnixNanos = due;
  }

  void correctAt(Alert alert, long at) {
    correction = alert.toByteArray();
    correctsAtUnixNanos = at;
  }

  void keepPosted() {
    correction = NOTHING;
    correctsAtUnixNanos = Step.NO_TIMER;
  }

  long nextTimer() {
    return Math.min(correctsAtUnixNanos, dueUnixNanos);
  }

  private static Alert parse(byte[] bytes) {
    try {
      return bytes.length == 0 ? null : Alert.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of a page holds bytes that are no alert", e);
    }
  }
}
