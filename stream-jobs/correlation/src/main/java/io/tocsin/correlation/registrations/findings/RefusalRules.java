package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Locale;

/**
 * {@code nak_storm}: a server refuses many clients of a scope, as after a change of its subnets or
 * when a second server believes that it knows better. One client that asks again and again is none.
 */
public final class RefusalRules implements FindingRules<RefusalRules.Refusals> {
  private static final long SECOND = 1_000_000_000L;
  private static final int SLICES = 12;
  private static final long SLICE_NANOS = 5 * SECOND;
  private static final long WINDOW_NANOS = SLICES * SLICE_NANOS;
  private static final long CALM_NANOS = 60 * SECOND;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public RefusalRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * Answers of one server in one scope; kept while there are refusals.
   *
   * @param server that answers
   * @param scope relay or subnet
   * @param link relay, or local
   * @param site configured place
   * @param refused refusals
   * @param acknowledged acknowledgements beside them
   * @param clients that were refused
   * @param storm state of the finding
   */
  public record Refusals(
      String server,
      String scope,
      String link,
      String site,
      Window refused,
      Window acknowledged,
      Clients clients,
      Condition storm) {}

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.REFUSED || seen.kind() == Kind.ACKNOWLEDGED;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.server() + "|" + seen.link();
  }

  @Override
  public FindingStep<Refusals> onObservation(
      Refusals known, Observation seen, Complaints complaints) {
    boolean isRefusal = seen.kind() == Kind.REFUSED;
    if (known == null && !isRefusal) {
      // Most servers refuse nobody, and need no state.
      return FindingStep.forget(List.of());
    }
    long time = seen.timeUnixNanos();
    Window empty = Window.of(SLICES, SLICE_NANOS);
    Refusals before =
        known != null
            ? known
            : new Refusals(
                seen.server(),
                seen.scope(),
                seen.link(),
                seen.site(),
                empty,
                empty,
                Clients.NOBODY,
                Condition.CALM);
    Refusals now =
        new Refusals(
            before.server,
            before.scope,
            before.link,
            before.site,
            isRefusal ? before.refused.plus(time) : before.refused.at(time),
            isRefusal ? before.acknowledged.at(time) : before.acknowledged.plus(time),
            isRefusal ? before.clients.plus(seen.mac(), time) : before.clients,
            before.storm);
    return judge(now, time);
  }

  @Override
  public FindingStep<Refusals> onTimer(Refusals known, long now, Complaints complaints) {
    return known == null ? FindingStep.forget(List.of()) : judge(known, now);
  }

  private FindingStep<Refusals> judge(Refusals known, long now) {
    Window refused = known.refused.at(now);
    Window acknowledged = known.acknowledged.at(now);
    Clients clients = known.clients.since(now - WINDOW_NANOS);
    double share = (double) refused.sum() / Math.max(1, refused.sum() + acknowledged.sum());
    boolean holds =
        refused.sum() >= limits.minNaks()
            && clients.count() >= limits.minClients()
            && share >= limits.nakShare();
    Word word = known.storm.word(holds, now, CALM_NANOS);
    Refusals next =
        new Refusals(
            known.server,
            known.scope,
            known.link,
            known.site,
            refused,
            acknowledged,
            clients,
            known.storm.after(word, holds, now));
    List<Event> findings =
        word == Word.NOTHING ? List.of() : List.of(storm(next, share).event(word, now));
    boolean isOver = refused.sum() == 0 && !next.storm.isRaised();
    return isOver
        ? FindingStep.forget(findings)
        : FindingStep.of(next, findings, now + SLICE_NANOS);
  }

  private static Finding storm(Refusals known, double share) {
    return Finding.of(
            "nak_storm",
            Severity.SEVERITY_MAJOR,
            Finding.subject(known.server, known.link),
            known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%s refused %d requests of %d clients or more within a minute",
                known.server,
                known.refused.sum(),
                known.clients.count()))
        .label("server", known.server)
        .label("scope", known.scope)
        .label("relay", known.link)
        .label("naks", known.refused.sum())
        .label("acks", known.acknowledged.sum())
        .label("clients", known.clients.count())
        .label("share", share);
  }
}
