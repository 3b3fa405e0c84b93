package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.Scopes;
import io.tocsin.correlation.registrations.findings.Complaints.Complaint;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Renewals of one server in one scope.
 *
 * <p>{@code rebind-share}: clients whose renewals stay without an answer ask any server at T2.
 * Their share among those who renew rises long before the first lease ends. It is judged only where
 * renewals are seen (a relay does not see them) or where the server has logged that it could not
 * send.
 *
 * <p>{@code renewal-wave}: clients that renew within the same second do so again and again, until
 * their server does not keep up.
 */
public final class RenewalRules implements EvidenceRules<RenewalRules.Renewals> {
  private static final int WINDOW_SECONDS = 60;
  private static final long CALM_NANOS = 60 * Nanos.PER_SECOND;
  private static final long WAVE_CALM_NANOS = 900 * Nanos.PER_SECOND;
  private static final long LOOK_NANOS = 5 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * Nanos.PER_SECOND;
  private static final int MIN_SECONDS = 20;
  private static final double USUAL_FACTOR = 3;
  private static final double USUAL_WEIGHT = 0.1;

  private final FindingLimits limits;
  private final Complaints complaints;

  /** Rules with their limits. */
  public RenewalRules(FindingLimits limits) {
    this(limits, Complaints.NONE);
  }

  private RenewalRules(FindingLimits limits, Complaints complaints) {
    this.limits = limits;
    this.complaints = complaints;
  }

  @Override
  public RenewalRules given(Complaints newest) {
    return new RenewalRules(limits, newest);
  }

  /** Renewals of one server in one scope; kept for a week of silence. */
  public static final class Renewals extends TimedState {
    /** Server that gave the leases. */
    public String server = "";

    /** Relay or subnet. */
    public String scope = "";

    /** Relay, or local. */
    public String link = "";

    /** Configured place. */
    public String site = "";

    /** Clients that began to renew, each second. */
    public Window renewed = new Window(WINDOW_SECONDS, Nanos.PER_SECOND);

    /** Clients that began to rebind, each second. */
    public Window rebound = new Window(WINDOW_SECONDS, Nanos.PER_SECOND);

    /** Renewals so far. */
    public long renewedTotal;

    /** Share of rebinds in calm minutes. */
    public double usualShare;

    /** When it was learned last. */
    public long learnedAtUnixNanos;

    /** First observation. */
    public long firstUnixNanos;

    /** Newest observation. */
    public long newestUnixNanos;

    /** State of the finding. */
    public Condition rebinding = new Condition();

    /** State of the finding. */
    public Condition wave = new Condition();

    /** None. */
    public Renewals() {}

    double share() {
      long rebinds = rebound.sum();
      return rebinds == 0 ? 0 : Math.min(1, (double) rebinds / Math.max(1, renewed.sum()));
    }
  }

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.RENEWED || seen.kind() == Kind.REBOUND;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.server() + "|" + seen.scope();
  }

  @Override
  public Step<Renewals, Event> onInput(Renewals known, Observation seen) {
    long time = seen.timeUnixNanos();
    Renewals renewals = known == null ? first(seen) : known;
    if (seen.kind() == Kind.REBOUND) {
      renewals.rebound.add(time);
    } else {
      renewals.renewed.add(time);
      renewals.renewedTotal++;
    }
    renewals.firstUnixNanos = Math.min(renewals.firstUnixNanos, time);
    renewals.newestUnixNanos = Math.max(renewals.newestUnixNanos, time);
    return judge(renewals, renewals.newestUnixNanos, false);
  }

  private static Renewals first(Observation seen) {
    Renewals renewals = new Renewals();
    renewals.server = seen.server();
    renewals.scope = seen.scope();
    renewals.link = seen.link();
    renewals.site = seen.site();
    renewals.learnedAtUnixNanos = seen.timeUnixNanos();
    renewals.firstUnixNanos = seen.timeUnixNanos();
    return renewals;
  }

  @Override
  public Step<Renewals, Event> onTimer(Renewals renewals, long now) {
    boolean isSilent = now - renewals.newestUnixNanos >= FORGET_NANOS;
    Step<Renewals, Event> step = judge(renewals, Math.max(now, renewals.newestUnixNanos), true);
    return isSilent ? Step.forget(step.decisions()) : step;
  }

  private Step<Renewals, Event> judge(Renewals renewals, long now, boolean mayEmit) {
    renewals.renewed.slideTo(now);
    renewals.rebound.slideTo(now);
    boolean isRebinding = isRebinding(renewals, now);
    boolean isWave = isWave(renewals, now);
    boolean isDue =
        renewals.rebinding.isDue(isRebinding, now, CALM_NANOS)
            || renewals.wave.isDue(isWave, now, WAVE_CALM_NANOS);
    if (isDue && !mayEmit) {
      return Step.keep(renewals, now);
    }
    boolean isCalm = !isRebinding && !renewals.rebinding.isRaised;
    List<Event> decisions = new ArrayList<>();
    renewals.rebinding.follow(
        isRebinding, now, CALM_NANOS, () -> rebindShare(renewals, now), decisions);
    renewals.wave.follow(isWave, now, WAVE_CALM_NANOS, () -> renewalWave(renewals), decisions);
    if (isCalm) {
      learn(renewals, now);
    }
    return new Step<>(renewals, decisions, nextLook(renewals, now));
  }

  private void learn(Renewals renewals, long now) {
    if (renewals.renewed.sum() + renewals.rebound.sum() >= limits.minRebinds()
        && now - renewals.learnedAtUnixNanos >= CALM_NANOS) {
      renewals.usualShare += USUAL_WEIGHT * (renewals.share() - renewals.usualShare);
      renewals.learnedAtUnixNanos = now;
    }
  }

  private static long nextLook(Renewals renewals, long now) {
    boolean isBusy =
        renewals.renewed.sum() + renewals.rebound.sum() > 0
            || renewals.rebinding.isRaised
            || renewals.wave.isRaised;
    return isBusy ? now + LOOK_NANOS : renewals.newestUnixNanos + FORGET_NANOS;
  }

  private Optional<Complaint> evidence(Renewals renewals, long now) {
    return complaints.of(Kind.SEND_FAILED, renewals.server, renewals.site, now);
  }

  private boolean isRebinding(Renewals renewals, long now) {
    boolean isVisible =
        renewals.renewedTotal >= limits.minRebinds() || evidence(renewals, now).isPresent();
    double raiseAt = Math.max(limits.rebindShare(), USUAL_FACTOR * renewals.usualShare);
    double holdAt = renewals.rebinding.isRaised ? raiseAt / 2 : raiseAt;
    return isVisible && renewals.rebound.sum() >= limits.minRebinds() && renewals.share() >= holdAt;
  }

  /** A wave stands out of the minute; a start of which nothing is known before is none. */
  private boolean isWave(Renewals renewals, long now) {
    long seconds = Math.min(WINDOW_SECONDS, (now - renewals.firstUnixNanos) / Nanos.PER_SECOND);
    double mean = (double) renewals.renewed.sum() / Math.max(1, seconds);
    return seconds >= MIN_SECONDS
        && renewals.renewed.max() >= limits.wavePeak()
        && renewals.renewed.max() >= limits.waveFactor() * mean;
  }

  private static Finding labelled(Finding finding, Renewals renewals) {
    return finding
        .label("server", renewals.server)
        .identity("scope", renewals.scope)
        .label("relay", renewals.link)
        .label("renewals", renewals.renewed.sum())
        .label("window_seconds", WINDOW_SECONDS);
  }

  private static String device(Renewals renewals) {
    return Scopes.device(renewals.server, renewals.link);
  }

  private Finding rebindShare(Renewals renewals, long now) {
    long rebinds = renewals.rebound.sum();
    Finding finding =
        Finding.of(
                Finding.REGISTRATIONS_JOB,
                "rebind-share",
                Severity.SEVERITY_MAJOR,
                device(renewals),
                renewals.site)
            .summary(
                "%d of %d renewals of %s in %s became rebinds: it does not answer, leases will end",
                rebinds, Math.max(renewals.renewed.sum(), rebinds), renewals.server, renewals.scope)
            .label("rebinds", rebinds)
            .label("share", renewals.share())
            .label("usual_share", renewals.usualShare);
    return Complaints.attach(labelled(finding, renewals), evidence(renewals, now));
  }

  private static Finding renewalWave(Renewals renewals) {
    Finding finding =
        Finding.of(
            Finding.REGISTRATIONS_JOB,
            "renewal-wave",
            Severity.SEVERITY_WARNING,
            device(renewals),
            renewals.site);
    return labelled(finding, renewals)
        .summary(
            "%d of the %d renewals of a minute came to %s within one second: they come in waves",
            renewals.renewed.max(), renewals.renewed.sum(), renewals.server)
        .label("peak_per_second", renewals.renewed.max());
  }
}
