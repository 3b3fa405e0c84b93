package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Complaints.Complaint;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Clients of one link that look for a server and find none.
 *
 * <p>{@code pool-exhausted}: a server says that it has no address left. {@code
 * discovers-unanswered}: nobody says anything. The latter is judged only where answers were seen
 * before: a relay's copies alone show none.
 */
public final class DiscoverRules implements EvidenceRules<DiscoverRules.Link> {
  private static final int SLICES = 13;
  private static final int OPEN_SLICES = 1;
  private static final long SLICE_NANOS = 5 * Nanos.PER_SECOND;
  private static final long WINDOW_NANOS = SLICES * SLICE_NANOS;
  private static final long CALM_NANOS = 60 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * Nanos.PER_SECOND;
  private static final double MIN_SHARE = 0.5;

  private final FindingLimits limits;
  private final Complaints complaints;

  /** Rules with their limits. */
  public DiscoverRules(FindingLimits limits) {
    this(limits, Complaints.NONE);
  }

  private DiscoverRules(FindingLimits limits, Complaints complaints) {
    this.limits = limits;
    this.complaints = complaints;
  }

  @Override
  public DiscoverRules given(Complaints newest) {
    return new DiscoverRules(limits, newest);
  }

  /** Questions and answers of one link; kept for a week of silence. */
  public static final class Link extends TimedState {
    /** Relay, or local. */
    public String link = "";

    /** Configured place. */
    public String site = "";

    /** Questions. */
    public Window discovered = new Window(SLICES, SLICE_NANOS);

    /** Of these, answered. */
    public Window answered = new Window(SLICES, SLICE_NANOS);

    /** Answers so far. */
    public long answeredTotal;

    /** Clients that asked. */
    public Clients clients = new Clients();

    /** Log lines about an empty pool. */
    public Window noFree = new Window(SLICES, SLICE_NANOS);

    /** The newest of them, null before the first. */
    public Complaint complaint;

    /** Server that answered last. */
    public String server = "";

    /** Newest observation. */
    public long newestUnixNanos;

    /** State of the finding. */
    public Condition unanswered = new Condition();

    /** State of the finding. */
    public Condition exhausted = new Condition();

    /** Nothing was seen. */
    public Link() {}
  }

  @Override
  public boolean concerns(Observation seen) {
    return switch (seen.kind()) {
      case DISCOVERED, ANSWERED, NO_FREE_LEASES -> true;
      default -> false;
    };
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.link();
  }

  @Override
  public Step<Link, Event> onInput(Link known, Observation seen) {
    long time = seen.timeUnixNanos();
    Link link = known == null ? first(seen) : known;
    switch (seen.kind()) {
      case DISCOVERED -> {
        link.discovered.add(time);
        link.clients.add(seen.mac(), time);
      }
      case ANSWERED -> {
        link.answered.add(time);
        link.answeredTotal++;
        link.server = seen.server().isEmpty() ? link.server : seen.server();
      }
      default -> {
        link.noFree.add(time);
        link.complaint = Complaint.of(link.complaint, seen);
      }
    }
    link.newestUnixNanos = Math.max(link.newestUnixNanos, time);
    return judge(link, link.newestUnixNanos, false);
  }

  private static Link first(Observation seen) {
    Link link = new Link();
    link.link = seen.link();
    link.site = seen.site();
    return link;
  }

  @Override
  public Step<Link, Event> onTimer(Link link, long now) {
    return now - link.newestUnixNanos >= FORGET_NANOS
        ? Step.forget(List.of())
        : judge(link, Math.max(now, link.newestUnixNanos), true);
  }

  private Step<Link, Event> judge(Link link, long now, boolean mayEmit) {
    link.discovered.slideTo(now);
    link.answered.slideTo(now);
    link.noFree.slideTo(now);
    link.clients.forgetBefore(now - WINDOW_NANOS);
    long asked = link.discovered.sumBefore(OPEN_SLICES);
    long waiting = Math.max(0, asked - link.answered.sum());
    boolean isInVain = isInVain(link, waiting, asked);
    Optional<Complaint> evidence =
        link.noFree.sum() > 0
            ? Optional.of(link.complaint)
            : complaints.of(Kind.NO_FREE_LEASES, link.server, link.site, now);
    boolean isExhausted =
        link.noFree.sum() >= limits.minNoFreeLeases() || isInVain && evidence.isPresent();
    boolean isUnanswered = isInVain && !isExhausted;
    boolean isDue =
        link.unanswered.isDue(isUnanswered, now, CALM_NANOS)
            || link.exhausted.isDue(isExhausted, now, CALM_NANOS);
    if (isDue && !mayEmit) {
      return Step.keep(link, now);
    }
    List<Event> decisions = new ArrayList<>();
    link.unanswered.follow(
        isUnanswered, now, CALM_NANOS, () -> unanswered(link, waiting, asked), decisions);
    link.exhausted.follow(
        isExhausted, now, CALM_NANOS, () -> exhausted(link, waiting, evidence), decisions);
    boolean isBusy =
        link.discovered.sum() + link.noFree.sum() > 0
            || link.unanswered.isRaised
            || link.exhausted.isRaised;
    return new Step<>(
        link, decisions, isBusy ? now + SLICE_NANOS : link.newestUnixNanos + FORGET_NANOS);
  }

  private boolean isInVain(Link link, long waiting, long asked) {
    return link.answeredTotal >= limits.minUnanswered()
        && waiting >= limits.minUnanswered()
        && waiting >= MIN_SHARE * asked
        && link.clients.count() >= limits.minClients();
  }

  private static Finding labelled(Finding finding, Link link, String server) {
    return finding
        .label("server", server)
        .label("scope", link.link)
        .label("relay", link.link)
        .label("window_seconds", WINDOW_NANOS / Nanos.PER_SECOND);
  }

  private static Finding unanswered(Link link, long waiting, long asked) {
    Finding finding =
        Finding.of(
            Finding.REGISTRATIONS_JOB,
            "discovers-unanswered",
            Severity.SEVERITY_CRITICAL,
            link.link,
            link.site);
    return labelled(finding, link, link.server)
        .summary(
            "%d of %d clients via %s look for a server and get no offer", waiting, asked, link.link)
        .label("discovers", asked)
        .label("unanswered", waiting);
  }

  private static Finding exhausted(Link link, long waiting, Optional<Complaint> evidence) {
    String server = evidence.map(Complaint::server).orElse(link.server);
    Finding finding =
        Finding.of(
                Finding.REGISTRATIONS_JOB,
                "pool-exhausted",
                Severity.SEVERITY_CRITICAL,
                link.link,
                link.site)
            .summary("%s has no address left for clients via %s", server, link.link)
            .label("no_free_leases", link.noFree.sum())
            .label("unanswered", waiting);
    return Complaints.attach(labelled(finding, link, server), evidence);
  }
}
