package io.tocsin.rules.history;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.events.v1.Event;
import java.util.List;

/** Where past events come from. */
public interface History {
  /** Takes what happened, in order of time. */
  interface Taker {
    /** Takes an event, in order of receipt. */
    void event(Event event);

    /** Takes what a person said of an alert. */
    void said(Acknowledgement said);
  }

  /**
   * Hands on what was received in a span of time.
   *
   * @param fromUnixNanos first time
   * @param toUnixNanos no time of it
   */
  void play(long fromUnixNanos, long toUnixNanos, Taker taker);

  /** What this source does not know of the past, one sentence each. */
  List<String> unknowns();
}
