package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import java.util.List;

/**
 * Finding {@code sequence-gaps}: a device numbered messages that never arrived. Raised with the
 * first gap, refreshed at most once a minute with the sum, cleared after five minutes without one,
 * and then the device is forgotten.
 */
public final class SequenceGapRules implements FindingRules<Event, SequenceGaps> {
  private static final long QUIET_NANOS = 300 * Nanos.PER_SECOND;
  private static final long REFRESH_NANOS = 60 * Nanos.PER_SECOND;

  @Override
  public boolean concerns(Event event) {
    return event.hasSequenceGap();
  }

  @Override
  public String keyOf(Event event) {
    return event.getDevice();
  }

  @Override
  public Step<SequenceGaps, Event> onInput(SequenceGaps known, Event event) {
    long at = event.getReceivedAtUnixNanos();
    SequenceGaps gaps = known == null ? new SequenceGaps() : known;
    gaps.device = event.getDevice();
    gaps.site = event.getSite();
    gaps.role = event.getRole();
    gaps.missing += event.getSequenceGap().getMissing();
    gaps.gaps++;
    gaps.newestUnixNanos = Math.max(gaps.newestUnixNanos, at);
    long quietAt = gaps.newestUnixNanos + QUIET_NANOS;
    if (gaps.emittedAtUnixNanos != 0 && at - gaps.emittedAtUnixNanos < REFRESH_NANOS) {
      return Step.keep(gaps, quietAt);
    }
    gaps.emittedAtUnixNanos = at;
    Finding finding =
        finding(gaps)
            .summary("%d syslog messages in %d gaps never arrived", gaps.missing, gaps.gaps);
    return new Step<>(gaps, List.of(finding.raise(at)), quietAt);
  }

  @Override
  public Step<SequenceGaps, Event> onTimer(SequenceGaps gaps, long nowUnixNanos) {
    long quietAt = gaps.newestUnixNanos + QUIET_NANOS;
    return nowUnixNanos < quietAt
        ? Step.keep(gaps, quietAt)
        : Step.forget(
            List.of(finding(gaps).summary("no gap for five minutes").clear(nowUnixNanos)));
  }

  private static Finding finding(SequenceGaps gaps) {
    return Finding.of(
            Finding.FINDINGS_JOB,
            "sequence-gaps",
            Severity.SEVERITY_WARNING,
            gaps.device,
            gaps.site)
        .role(gaps.role)
        .label("missing", gaps.missing)
        .label("gaps", gaps.gaps);
  }
}
