package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Locale;

/**
 * {@code offer_latency} and {@code ack_latency}: a server takes longer to answer than it usually
 * does, by its median, or by its 99th percentile where there are enough answers to tell. A server
 * of which too little is known is slow when half of its answers take a second, which clients feel.
 */
public final class LatencyRules implements FindingRules<LatencyRules.Answers> {
  private static final long SECOND = 1_000_000_000L;
  private static final long SLICE_NANOS = 10 * SECOND;
  private static final long CALM_NANOS = 60 * SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * SECOND;
  private static final double USUAL_DECAY = 0.95;
  private static final double MIN_USUAL_SAMPLES = 100;
  private static final double MIN_TAIL_SAMPLES = 300;
  private static final double LEAST_MEDIAN_MS = 100;
  private static final double LEAST_TAIL_MS = 200;
  private static final double SLOW_MS = 1_000;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public LatencyRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * Answers of one kind of one server; kept for a week of silence.
   *
   * @param kind offers or acknowledgements
   * @param server that answers
   * @param scope of the newest answer
   * @param link of the newest answer
   * @param site configured place
   * @param slice number of the slice under way, from 1970
   * @param now latencies of that slice
   * @param previous latencies of the slice before it
   * @param usual latencies of calm slices, older ones weighing less
   * @param newestUnixNanos newest answer
   * @param slow state of the finding
   */
  public record Answers(
      Kind kind,
      String server,
      String scope,
      String link,
      String site,
      long slice,
      Latencies now,
      Latencies previous,
      Latencies usual,
      long newestUnixNanos,
      Condition slow) {}

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.OFFER_LATENCY || seen.kind() == Kind.ACK_LATENCY;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.server() + "|" + seen.kind();
  }

  @Override
  public FindingStep<Answers> onObservation(
      Answers known, Observation seen, Complaints complaints) {
    long time = seen.timeUnixNanos();
    long slice = Math.floorDiv(time, SLICE_NANOS);
    Answers before = known == null ? first(seen, slice) : rolled(known, slice);
    Answers now =
        new Answers(
            before.kind,
            before.server,
            seen.scope(),
            seen.link(),
            before.site,
            before.slice,
            before.now.plus(seen.latencyMs()),
            before.previous,
            before.usual,
            Math.max(before.newestUnixNanos, time),
            before.slow);
    return judge(now, now.newestUnixNanos);
  }

  private static Answers first(Observation seen, long slice) {
    return new Answers(
        seen.kind(),
        seen.server(),
        seen.scope(),
        seen.link(),
        seen.site(),
        slice,
        Latencies.NONE,
        Latencies.NONE,
        Latencies.NONE,
        seen.timeUnixNanos(),
        Condition.CALM);
  }

  @Override
  public FindingStep<Answers> onTimer(Answers known, long now, Complaints complaints) {
    if (known == null || now - known.newestUnixNanos >= FORGET_NANOS) {
      return FindingStep.forget(List.of());
    }
    return judge(rolled(known, Math.floorDiv(now, SLICE_NANOS)), now);
  }

  /** What a calm slice held becomes usual when the slice after it is over. */
  private static Answers rolled(Answers known, long slice) {
    if (slice <= known.slice) {
      return known;
    }
    boolean isNext = slice == known.slice + 1;
    boolean isCalm = !known.slow.isRaised();
    boolean isWorthLearning = isCalm && known.previous.count() > 0;
    return new Answers(
        known.kind,
        known.server,
        known.scope,
        known.link,
        known.site,
        slice,
        Latencies.NONE,
        isNext ? known.now : Latencies.NONE,
        isWorthLearning ? known.usual.weighed(USUAL_DECAY).plus(known.previous) : known.usual,
        known.newestUnixNanos,
        known.slow);
  }

  private FindingStep<Answers> judge(Answers known, long now) {
    Latencies recent = known.now.plus(known.previous);
    boolean holds = isSlow(recent, known.usual);
    Word word = known.slow.word(holds, now, CALM_NANOS);
    Answers next =
        new Answers(
            known.kind,
            known.server,
            known.scope,
            known.link,
            known.site,
            known.slice,
            known.now,
            known.previous,
            known.usual,
            known.newestUnixNanos,
            known.slow.after(word, holds, now));
    List<Event> findings =
        word == Word.NOTHING ? List.of() : List.of(slow(next, recent).event(word, now));
    boolean isBusy = recent.count() > 0 || next.slow.isRaised();
    return FindingStep.of(
        next, findings, isBusy ? now + SLICE_NANOS : known.newestUnixNanos + FORGET_NANOS);
  }

  private boolean isSlow(Latencies recent, Latencies usual) {
    double median = recent.quantileMs(0.5);
    if (recent.count() < limits.minLatencySamples()) {
      return false;
    }
    if (usual.count() < MIN_USUAL_SAMPLES) {
      return median >= SLOW_MS;
    }
    double tail = recent.quantileMs(0.99);
    boolean isMedianUp =
        median >= LEAST_MEDIAN_MS && median >= limits.latencyFactor() * usual.quantileMs(0.5);
    boolean isTailUp =
        recent.count() >= MIN_TAIL_SAMPLES
            && tail >= LEAST_TAIL_MS
            && tail >= limits.latencyFactor() * usual.quantileMs(0.99);
    return isMedianUp || isTailUp;
  }

  private static Finding slow(Answers known, Latencies recent) {
    boolean isOffer = known.kind == Kind.OFFER_LATENCY;
    return Finding.of(
            isOffer ? "offer_latency" : "ack_latency",
            Severity.SEVERITY_MAJOR,
            known.server,
            known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%s takes %s ms (p99 %s ms) to %s; %s ms (p99 %s ms) are usual",
                known.server,
                Finding.number(recent.quantileMs(0.5)),
                Finding.number(recent.quantileMs(0.99)),
                isOffer ? "offer" : "acknowledge",
                Finding.number(known.usual.quantileMs(0.5)),
                Finding.number(known.usual.quantileMs(0.99))))
        .label("server", known.server)
        .label("scope", known.scope)
        .label("relay", known.link)
        .label("p50_ms", recent.quantileMs(0.5))
        .label("p99_ms", recent.quantileMs(0.99))
        .label("usual_p50_ms", known.usual.quantileMs(0.5))
        .label("usual_p99_ms", known.usual.quantileMs(0.99))
        .label("answers", (long) recent.count());
  }
}
