package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Finding {@code sequence_gaps}: a device numbered messages that never arrived. Raised with the
 * first gap, told again at most once a minute with the sum, cleared after five minutes without one.
 */
public final class SequenceGapRules {
  private static final long QUIET_NANOS = 300_000_000_000L;
  private static final long REFRESH_NANOS = 60_000_000_000L;

  /**
   * Takes an event with a sequence gap as its body.
   *
   * @param known of the device, changed in place
   */
  public Answer onGap(SequenceGaps known, Event event) {
    long at = event.getReceivedAtUnixNanos();
    known.site = event.getSite();
    known.missing += event.getSequenceGap().getMissing();
    known.gaps++;
    known.newestUnixNanos = Math.max(known.newestUnixNanos, at);
    OptionalLong timer = OptionalLong.of(known.newestUnixNanos + QUIET_NANOS);
    if (known.toldAtUnixNanos != 0 && at - known.toldAtUnixNanos < REFRESH_NANOS) {
      return new Answer(List.of(), timer);
    }
    known.toldAtUnixNanos = at;
    String summary = known.missing + " syslog messages in " + known.gaps + " gaps never arrived";
    return new Answer(
        List.of(alert(known, event.getDevice()).raise(Severity.SEVERITY_WARNING, summary, at)),
        timer);
  }

  /** Clears where nothing was missing for long enough; then the device is to be forgotten. */
  public Answer onTimer(SequenceGaps known, String device, long nowUnixNanos) {
    if (!isQuiet(known, nowUnixNanos)) {
      return Answer.at(known.newestUnixNanos + QUIET_NANOS);
    }
    Event clear = alert(known, device).clear("no gap for five minutes", nowUnixNanos);
    return new Answer(List.of(clear), OptionalLong.empty());
  }

  /** Whether nothing was missing for long enough. */
  public static boolean isQuiet(SequenceGaps known, long nowUnixNanos) {
    return nowUnixNanos >= known.newestUnixNanos + QUIET_NANOS;
  }

  private static FindingAlert alert(SequenceGaps known, String device) {
    Map<String, String> labels =
        Map.of("missing", Long.toString(known.missing), "gaps", Long.toString(known.gaps));
    return new FindingAlert("sequence_gaps", device, known.site, "", labels);
  }
}
