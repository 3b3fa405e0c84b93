package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code offer-latency} and {@code ack-latency}: a server takes longer to answer than it usually
 * does, by its median, or by its 99th percentile where there are enough answers to tell. A server
 * of which too little is known is slow when half of its answers take a second, which clients feel.
 */
public final class LatencyRules implements FindingRules<Observation, LatencyRules.Answers> {
  private static final long SLICE_NANOS = 10 * Nanos.PER_SECOND;
  private static final long CALM_NANOS = 60 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * Nanos.PER_SECOND;
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

  /** Answers of one kind of one server; kept for a week of silence. */
  public static final class Answers extends TimedState {
    /** Offers or acknowledgements. */
    public Kind kind = Kind.OFFER_LATENCY;

    /** Server that answers. */
    public String server = "";

    /** Scope of the newest answer. */
    public String scope = "";

    /** Link of the newest answer. */
    public String link = "";

    /** Configured place. */
    public String site = "";

    /** Number of the slice under way, from 1970. */
    public long slice;

    /** Latencies of that slice. */
    public Latencies now = new Latencies();

    /** Latencies of the slice before it. */
    public Latencies previous = new Latencies();

    /** Latencies of calm slices, older ones weighing less. */
    public Latencies usual = new Latencies();

    /** Newest answer. */
    public long newestUnixNanos;

    /** State of the finding. */
    public Condition slow = new Condition();

    /** None. */
    public Answers() {}
  }

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.OFFER_LATENCY || seen.kind() == Kind.ACK_LATENCY;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.server() + "|" + seen.kind();
  }

  @Override
  public Step<Answers, Event> onInput(Answers known, Observation seen) {
    long time = seen.timeUnixNanos();
    Answers answers = known == null ? first(seen) : known;
    rollTo(answers, time);
    answers.scope = seen.scope();
    answers.link = seen.link();
    answers.now.add(seen.latencyMs());
    answers.newestUnixNanos = Math.max(answers.newestUnixNanos, time);
    return judge(answers, answers.newestUnixNanos);
  }

  private static Answers first(Observation seen) {
    Answers answers = new Answers();
    answers.kind = seen.kind();
    answers.server = seen.server();
    answers.site = seen.site();
    answers.slice = Math.floorDiv(seen.timeUnixNanos(), SLICE_NANOS);
    return answers;
  }

  @Override
  public Step<Answers, Event> onTimer(Answers answers, long now) {
    if (now - answers.newestUnixNanos >= FORGET_NANOS) {
      return Step.forget(List.of());
    }
    rollTo(answers, now);
    return judge(answers, now);
  }

  /** What a calm slice held becomes usual when the slice after it is over. */
  private static void rollTo(Answers answers, long unixNanos) {
    long slice = Math.floorDiv(unixNanos, SLICE_NANOS);
    if (slice <= answers.slice) {
      return;
    }
    if (!answers.slow.isRaised && answers.previous.count() > 0) {
      answers.usual.weigh(USUAL_DECAY);
      answers.usual.addAll(answers.previous);
    }
    answers.previous = slice == answers.slice + 1 ? answers.now : new Latencies();
    answers.now = new Latencies();
    answers.slice = slice;
  }

  private Step<Answers, Event> judge(Answers answers, long now) {
    Latencies recent = Latencies.sum(answers.now, answers.previous);
    boolean holds = isSlow(recent, answers.usual);
    List<Event> decisions = new ArrayList<>();
    answers.slow.follow(holds, now, CALM_NANOS, () -> slow(answers, recent), decisions);
    boolean isBusy = recent.count() > 0 || answers.slow.isRaised;
    return new Step<>(
        answers, decisions, isBusy ? now + SLICE_NANOS : answers.newestUnixNanos + FORGET_NANOS);
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

  private static Finding slow(Answers answers, Latencies recent) {
    boolean isOffer = answers.kind == Kind.OFFER_LATENCY;
    return Finding.of(
            Finding.REGISTRATIONS_JOB,
            isOffer ? "offer-latency" : "ack-latency",
            Severity.SEVERITY_MAJOR,
            answers.server,
            answers.site)
        .summary(
            "%s takes %s ms (p99 %s ms) to %s; %s ms (p99 %s ms) are usual",
            answers.server,
            Finding.number(recent.quantileMs(0.5)),
            Finding.number(recent.quantileMs(0.99)),
            isOffer ? "offer" : "acknowledge",
            Finding.number(answers.usual.quantileMs(0.5)),
            Finding.number(answers.usual.quantileMs(0.99)))
        .label("server", answers.server)
        .label("scope", answers.scope)
        .label("relay", answers.link)
        .label("p50_ms", recent.quantileMs(0.5))
        .label("p99_ms", recent.quantileMs(0.99))
        .label("usual_p50_ms", answers.usual.quantileMs(0.5))
        .label("usual_p99_ms", answers.usual.quantileMs(0.99))
        .label("answers", (long) recent.count());
  }
}
