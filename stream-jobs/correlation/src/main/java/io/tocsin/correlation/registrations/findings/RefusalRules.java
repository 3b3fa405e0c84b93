package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.Scopes;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code nak-storm}: a server refuses many clients of a scope, as after a change of its subnets or
 * when a second server believes that it knows better. One client that asks again and again is none.
 */
public final class RefusalRules implements FindingRules<Observation, RefusalRules.Refusals> {
  private static final int SLICES = 12;
  private static final long SLICE_NANOS = 5 * Nanos.PER_SECOND;
  private static final long WINDOW_NANOS = SLICES * SLICE_NANOS;
  private static final long CALM_NANOS = 60 * Nanos.PER_SECOND;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public RefusalRules(FindingLimits limits) {
    this.limits = limits;
  }

  /** Answers of one server in one scope; kept while there are refusals. */
  public static final class Refusals extends TimedState {
    /** Server that answers. */
    public String server = "";

    /** Relay or subnet. */
    public String scope = "";

    /** Relay, or local. */
    public String link = "";

    /** Configured place. */
    public String site = "";

    /** Refusals. */
    public Window refused = new Window(SLICES, SLICE_NANOS);

    /** Acknowledgements beside them. */
    public Window acknowledged = new Window(SLICES, SLICE_NANOS);

    /** Clients that were refused. */
    public Clients clients = new Clients();

    /** State of the finding. */
    public Condition storm = new Condition();

    /** None. */
    public Refusals() {}
  }

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.REFUSED || seen.kind() == Kind.ACKNOWLEDGED;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.server() + "|" + seen.link();
  }

  @Override
  public Step<Refusals, Event> onInput(Refusals known, Observation seen) {
    boolean isRefusal = seen.kind() == Kind.REFUSED;
    if (known == null && !isRefusal) {
      // Most servers refuse nobody, and need no state.
      return Step.forget(List.of());
    }
    Refusals refusals = known == null ? first(seen) : known;
    long time = seen.timeUnixNanos();
    if (isRefusal) {
      refusals.refused.add(time);
      refusals.clients.add(seen.mac(), time);
    } else {
      refusals.acknowledged.add(time);
    }
    return judge(refusals, time);
  }

  private static Refusals first(Observation seen) {
    Refusals refusals = new Refusals();
    refusals.server = seen.server();
    refusals.scope = seen.scope();
    refusals.link = seen.link();
    refusals.site = seen.site();
    return refusals;
  }

  @Override
  public Step<Refusals, Event> onTimer(Refusals refusals, long now) {
    return judge(refusals, now);
  }

  private Step<Refusals, Event> judge(Refusals refusals, long now) {
    refusals.refused.slideTo(now);
    refusals.acknowledged.slideTo(now);
    refusals.clients.forgetBefore(now - WINDOW_NANOS);
    long refused = refusals.refused.sum();
    boolean holds =
        refused >= limits.minNaks()
            && refusals.clients.count() >= limits.minClients()
            && share(refusals) >= limits.nakShare();
    List<Event> decisions = new ArrayList<>();
    refusals.storm.follow(holds, now, CALM_NANOS, () -> storm(refusals), decisions);
    boolean isOver = refused == 0 && !refusals.storm.isRaised;
    return isOver ? Step.forget(decisions) : new Step<>(refusals, decisions, now + SLICE_NANOS);
  }

  private static double share(Refusals refusals) {
    long refused = refusals.refused.sum();
    return (double) refused / Math.max(1, refused + refusals.acknowledged.sum());
  }

  private static Finding storm(Refusals refusals) {
    return Finding.of(
            Finding.REGISTRATIONS_JOB,
            "nak-storm",
            Severity.SEVERITY_MAJOR,
            Scopes.device(refusals.server, refusals.link),
            refusals.site)
        .summary(
            "%s refused %d requests of %d clients or more within a minute",
            refusals.server, refusals.refused.sum(), refusals.clients.count())
        .label("server", refusals.server)
        .label("scope", refusals.scope)
        .identity("relay", refusals.link)
        .label("naks", refusals.refused.sum())
        .label("acks", refusals.acknowledged.sum())
        .label("clients", refusals.clients.count())
        .label("share", share(refusals));
  }
}
