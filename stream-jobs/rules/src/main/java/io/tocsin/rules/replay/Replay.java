package io.tocsin.rules.replay;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.v1.RuleDocument;
import java.util.Collection;
import java.util.List;

/** History through two sets of rules at once, so that it is read once. */
public final class Replay {
  private final Story before = new Story();
  private final Story after = new Story();
  private final List<AlertPath> paths;
  private long events;

  /**
   * Rules side by side.
   *
   * @param documentsBefore what is compared with
   * @param documentsAfter what is tried
   * @param identity of the second; null leaves it as its rules have it
   * @param startUnixNanos before the first event
   */
  public Replay(
      AlertPath.Settings settings,
      Collection<RuleDocument> documentsBefore,
      Collection<RuleDocument> documentsAfter,
      Identity identity,
      long startUnixNanos) {
    paths =
        List.of(
            new AlertPath(settings, signal -> signal, before),
            new AlertPath(settings, identity == null ? signal -> signal : identity, after));
    paths.forEach(path -> path.advanceTo(startUnixNanos / Nanos.PER_MILLI));
    paths.get(0).onDocuments(documentsBefore);
    paths.get(1).onDocuments(documentsAfter);
  }

  /** Takes an event, in order of receipt. */
  public void onEvent(Event event) {
    events++;
    paths.forEach(path -> path.onEvent(event));
  }

  /** Takes what a person said, in order of time with the events. */
  public void onSaid(Acknowledgement said) {
    paths.forEach(path -> path.onSaid(said));
  }

  /** Fires what is due until the end of the history. */
  public void end(long unixNanos) {
    paths.forEach(path -> path.advanceTo(unixNanos / Nanos.PER_MILLI));
  }

  /** How many events were played. */
  public long events() {
    return events;
  }

  /** What came of the rules that are compared with. */
  public Story before() {
    return before;
  }

  /** What came of the rules that are tried. */
  public Story after() {
    return after;
  }
}
