package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Renewals of one server in one scope.
 *
 * <p>{@code rebind_share}: clients whose renewals stay without an answer ask any server at T2.
 * Their share among those who renew rises long before the first lease ends. It is judged only where
 * renewals are seen (a relay does not see them) or where the server has logged that it could not
 * send.
 *
 * <p>{@code renewal_wave}: clients that renew within the same second do so again and again, until
 * their server does not keep up.
 */
public final class RenewalRules implements FindingRules<RenewalRules.Renewals> {
  private static final long SECOND = 1_000_000_000L;
  private static final int WINDOW_SECONDS = 60;
  private static final long CALM_NANOS = 60 * SECOND;
  private static final long WAVE_CALM_NANOS = 900 * SECOND;
  private static final long LOOK_NANOS = 5 * SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * SECOND;
  private static final int MIN_SECONDS = 20;
  private static final double USUAL_FACTOR = 3;
  private static final double USUAL_WEIGHT = 0.1;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public RenewalRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * Renewals of one server in one scope; kept for a week of silence.
   *
   * @param server that gave the leases
   * @param scope relay or subnet
   * @param link relay, or local
   * @param site configured place
   * @param renewed clients that began to renew, each second
   * @param rebound clients that began to rebind, each second
   * @param renewedTotal renewals so far
   * @param usualShare share of rebinds in calm minutes
   * @param learnedAtUnixNanos when it was learned last
   * @param firstUnixNanos first observation
   * @param newestUnixNanos newest observation
   * @param rebinding state of the finding
   * @param wave state of the finding
   */
  public record Renewals(
      String server,
      String scope,
      String link,
      String site,
      Window renewed,
      Window rebound,
      long renewedTotal,
      double usualShare,
      long learnedAtUnixNanos,
      long firstUnixNanos,
      long newestUnixNanos,
      Condition rebinding,
      Condition wave) {}

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.RENEWED || seen.kind() == Kind.REBOUND;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.server() + "|" + seen.scope();
  }

  @Override
  public FindingStep<Renewals> onObservation(
      Renewals known, Observation seen, Complaints complaints) {
    long time = seen.timeUnixNanos();
    Renewals before = known == null ? first(seen) : known;
    boolean isRebind = seen.kind() == Kind.REBOUND;
    Renewals now =
        new Renewals(
            before.server,
            before.scope,
            before.link,
            before.site,
            isRebind ? before.renewed.at(time) : before.renewed.plus(time),
            isRebind ? before.rebound.plus(time) : before.rebound.at(time),
            before.renewedTotal + (isRebind ? 0 : 1),
            before.usualShare,
            before.learnedAtUnixNanos,
            Math.min(before.firstUnixNanos, time),
            Math.max(before.newestUnixNanos, time),
            before.rebinding,
            before.wave);
    return judge(now, now.newestUnixNanos, complaints).onceReached(now, now.newestUnixNanos);
  }

  private static Renewals first(Observation seen) {
    long time = seen.timeUnixNanos();
    Window empty = Window.of(WINDOW_SECONDS, SECOND);
    return new Renewals(
        seen.server(),
        seen.scope(),
        seen.link(),
        seen.site(),
        empty,
        empty,
        0,
        0,
        time,
        time,
        time,
        Condition.CALM,
        Condition.CALM);
  }

  @Override
  public FindingStep<Renewals> onTimer(Renewals known, long now, Complaints complaints) {
    if (known == null) {
      return FindingStep.forget(List.of());
    }
    boolean isSilent = now - known.newestUnixNanos >= FORGET_NANOS;
    FindingStep<Renewals> step = judge(known, Math.max(now, known.newestUnixNanos), complaints);
    return isSilent ? FindingStep.forget(step.findings()) : step;
  }

  private FindingStep<Renewals> judge(Renewals known, long now, Complaints complaints) {
    Window renewed = known.renewed.at(now);
    Window rebound = known.rebound.at(now);
    double share = share(renewed.sum(), rebound.sum());
    boolean isRebinding = isRebinding(known, rebound.sum(), share, complaints, now);
    boolean isWave = isWave(known, renewed, now);
    Word rebindWord = known.rebinding.word(isRebinding, now, CALM_NANOS);
    Word waveWord = known.wave.word(isWave, now, WAVE_CALM_NANOS);
    List<Event> findings = new ArrayList<>();
    if (rebindWord != Word.NOTHING) {
      findings.add(rebindShare(known, renewed, rebound, complaints, now).event(rebindWord, now));
    }
    if (waveWord != Word.NOTHING) {
      findings.add(renewalWave(known, renewed).event(waveWord, now));
    }
    boolean isLearning =
        !isRebinding
            && !known.rebinding.isRaised()
            && renewed.sum() + rebound.sum() >= limits.minRebinds()
            && now - known.learnedAtUnixNanos >= CALM_NANOS;
    Renewals next =
        new Renewals(
            known.server,
            known.scope,
            known.link,
            known.site,
            renewed,
            rebound,
            known.renewedTotal,
            isLearning
                ? known.usualShare + USUAL_WEIGHT * (share - known.usualShare)
                : known.usualShare,
            isLearning ? now : known.learnedAtUnixNanos,
            known.firstUnixNanos,
            known.newestUnixNanos,
            known.rebinding.after(rebindWord, isRebinding, now),
            known.wave.after(waveWord, isWave, now));
    return FindingStep.of(next, findings, nextLook(next, now));
  }

  private static long nextLook(Renewals known, long now) {
    boolean isBusy =
        known.renewed.sum() + known.rebound.sum() > 0
            || known.rebinding.isRaised()
            || known.wave.isRaised();
    return isBusy ? now + LOOK_NANOS : known.newestUnixNanos + FORGET_NANOS;
  }

  private static double share(long renewed, long rebound) {
    return rebound == 0 ? 0 : Math.min(1, (double) rebound / Math.max(1, renewed));
  }

  private boolean isRebinding(
      Renewals known, long rebound, double share, Complaints complaints, long now) {
    boolean isVisible =
        known.renewedTotal >= limits.minRebinds()
            || complaints.of(Kind.SEND_FAILED, known.server, known.site, now).isPresent();
    double raiseAt = Math.max(limits.rebindShare(), USUAL_FACTOR * known.usualShare);
    double holdAt = known.rebinding.isRaised() ? raiseAt / 2 : raiseAt;
    return isVisible && rebound >= limits.minRebinds() && share >= holdAt;
  }

  /** A wave stands out of the minute; a start of which nothing is known before is none. */
  private boolean isWave(Renewals known, Window renewed, long now) {
    long seconds = Math.min(WINDOW_SECONDS, (now - known.firstUnixNanos) / SECOND);
    double mean = (double) renewed.sum() / Math.max(1, seconds);
    return seconds >= MIN_SECONDS
        && renewed.max() >= limits.wavePeak()
        && renewed.max() >= limits.waveFactor() * mean;
  }

  private static Finding rebindShare(
      Renewals known, Window renewed, Window rebound, Complaints complaints, long now) {
    double share = share(renewed.sum(), rebound.sum());
    Finding finding =
        Finding.of(
                "rebind_share",
                Severity.SEVERITY_MAJOR,
                Finding.subject(known.server, known.scope),
                known.site)
            .summary(
                String.format(
                    Locale.ROOT,
                    "%d of %d renewals of %s in %s became rebinds: it does not answer, leases will end",
                    rebound.sum(),
                    Math.max(renewed.sum(), rebound.sum()),
                    known.server,
                    known.scope))
            .label("server", known.server)
            .label("scope", known.scope)
            .label("relay", known.link)
            .label("rebinds", rebound.sum())
            .label("renewals", renewed.sum())
            .label("share", share)
            .label("usual_share", known.usualShare)
            .label("window_seconds", WINDOW_SECONDS);
    return Complaints.attach(
        finding, complaints.of(Kind.SEND_FAILED, known.server, known.site, now));
  }

  private static Finding renewalWave(Renewals known, Window renewed) {
    return Finding.of(
            "renewal_wave",
            Severity.SEVERITY_WARNING,
            Finding.subject(known.server, known.scope),
            known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%d of the %d renewals of a minute came to %s within one second: they come in waves",
                renewed.max(),
                renewed.sum(),
                known.server))
        .label("server", known.server)
        .label("scope", known.scope)
        .label("relay", known.link)
        .label("peak_per_second", renewed.max())
        .label("renewals", renewed.sum())
        .label("window_seconds", WINDOW_SECONDS);
  }
}
