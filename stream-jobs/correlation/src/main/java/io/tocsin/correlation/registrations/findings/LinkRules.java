package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Complaints.Complaint;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Clients of one link that look for a server and find none.
 *
 * <p>{@code pool_exhausted}: a server says that it has no address left. {@code
 * discovers_unanswered}: nobody says anything. The latter is judged only where answers were seen
 * before: a relay's copies alone show none.
 */
public final class LinkRules implements FindingRules<LinkRules.Link> {
  private static final long SECOND = 1_000_000_000L;
  private static final int SLICES = 13;
  private static final int OPEN_SLICES = 1;
  private static final long SLICE_NANOS = 5 * SECOND;
  private static final long WINDOW_NANOS = SLICES * SLICE_NANOS;
  private static final long CALM_NANOS = 60 * SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * SECOND;
  private static final double MIN_SHARE = 0.5;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public LinkRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * Questions and answers of one link; kept for a week of silence.
   *
   * @param link relay, or local
   * @param site configured place
   * @param discovered questions
   * @param answered of these, answered
   * @param answeredTotal answers so far
   * @param clients that asked
   * @param noFree log lines about an empty pool
   * @param complaint the newest of them, null before the first
   * @param server that answered last
   * @param newestUnixNanos newest observation
   * @param unanswered state of the finding
   * @param exhausted state of the finding
   */
  public record Link(
      String link,
      String site,
      Window discovered,
      Window answered,
      long answeredTotal,
      Clients clients,
      Window noFree,
      Complaint complaint,
      String server,
      long newestUnixNanos,
      Condition unanswered,
      Condition exhausted) {}

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
  public FindingStep<Link> onObservation(Link known, Observation seen, Complaints complaints) {
    long time = seen.timeUnixNanos();
    Link before = known == null ? first(seen) : known;
    boolean isAnswer = seen.kind() == Kind.ANSWERED;
    boolean isQuestion = seen.kind() == Kind.DISCOVERED;
    boolean isComplaint = seen.kind() == Kind.NO_FREE_LEASES;
    Link now =
        new Link(
            before.link,
            before.site,
            isQuestion ? before.discovered.plus(time) : before.discovered.at(time),
            isAnswer ? before.answered.plus(time) : before.answered.at(time),
            before.answeredTotal + (isAnswer ? 1 : 0),
            isQuestion ? before.clients.plus(seen.mac(), time) : before.clients,
            isComplaint ? before.noFree.plus(time) : before.noFree.at(time),
            isComplaint ? Complaint.of(before.complaint, seen) : before.complaint,
            isAnswer && !seen.server().isEmpty() ? seen.server() : before.server,
            Math.max(before.newestUnixNanos, time),
            before.unanswered,
            before.exhausted);
    return judge(now, now.newestUnixNanos, complaints).onceReached(now, now.newestUnixNanos);
  }

  private static Link first(Observation seen) {
    Window empty = Window.of(SLICES, SLICE_NANOS);
    return new Link(
        seen.link(),
        seen.site(),
        empty,
        empty,
        0,
        Clients.NOBODY,
        empty,
        null,
        "",
        seen.timeUnixNanos(),
        Condition.CALM,
        Condition.CALM);
  }

  @Override
  public FindingStep<Link> onTimer(Link known, long now, Complaints complaints) {
    if (known == null || now - known.newestUnixNanos >= FORGET_NANOS) {
      return FindingStep.forget(List.of());
    }
    return judge(known, Math.max(now, known.newestUnixNanos), complaints);
  }

  private FindingStep<Link> judge(Link known, long now, Complaints complaints) {
    Window discovered = known.discovered.at(now);
    Window answered = known.answered.at(now);
    Window noFree = known.noFree.at(now);
    Clients clients = known.clients.since(now - WINDOW_NANOS);
    long asked = discovered.sumBefore(OPEN_SLICES);
    long waiting = Math.max(0, asked - answered.sum());
    boolean isInVain =
        known.answeredTotal >= limits.minUnanswered()
            && waiting >= limits.minUnanswered()
            && waiting >= MIN_SHARE * asked
            && clients.count() >= limits.minClients();
    Optional<Complaint> evidence =
        noFree.sum() > 0
            ? Optional.of(known.complaint)
            : complaints.of(Kind.NO_FREE_LEASES, known.server, known.site, now);
    boolean isExhausted =
        noFree.sum() >= limits.minNoFreeLeases() || isInVain && evidence.isPresent();
    boolean isUnanswered = isInVain && !isExhausted;
    Word unansweredWord = known.unanswered.word(isUnanswered, now, CALM_NANOS);
    Word exhaustedWord = known.exhausted.word(isExhausted, now, CALM_NANOS);
    List<Event> findings = new ArrayList<>();
    if (unansweredWord != Word.NOTHING) {
      findings.add(unanswered(known, waiting, asked).event(unansweredWord, now));
    }
    if (exhaustedWord != Word.NOTHING) {
      Finding finding = exhausted(known, noFree.sum(), waiting, evidence);
      findings.add(finding.event(exhaustedWord, now));
    }
    Link next =
        new Link(
            known.link,
            known.site,
            discovered,
            answered,
            known.answeredTotal,
            clients,
            noFree,
            known.complaint,
            known.server,
            known.newestUnixNanos,
            known.unanswered.after(unansweredWord, isUnanswered, now),
            known.exhausted.after(exhaustedWord, isExhausted, now));
    boolean isBusy =
        discovered.sum() + noFree.sum() > 0
            || next.unanswered.isRaised()
            || next.exhausted.isRaised();
    return FindingStep.of(
        next, findings, isBusy ? now + SLICE_NANOS : known.newestUnixNanos + FORGET_NANOS);
  }

  private static Finding unanswered(Link known, long waiting, long asked) {
    return Finding.of("discovers_unanswered", Severity.SEVERITY_CRITICAL, known.link, known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%d of %d clients via %s look for a server and get no offer",
                waiting,
                asked,
                known.link))
        .label("server", known.server)
        .label("scope", known.link)
        .label("relay", known.link)
        .label("discovers", asked)
        .label("unanswered", waiting)
        .label("window_seconds", WINDOW_NANOS / SECOND);
  }

  private static Finding exhausted(
      Link known, long noFree, long waiting, Optional<Complaint> evidence) {
    String server = evidence.map(Complaint::server).orElse(known.server);
    Finding finding =
        Finding.of("pool_exhausted", Severity.SEVERITY_CRITICAL, known.link, known.site)
            .summary(
                String.format(
                    Locale.ROOT, "%s has no address left for clients via %s", server, known.link))
            .label("server", server)
            .label("scope", known.link)
            .label("relay", known.link)
            .label("no_free_leases", noFree)
            .label("unanswered", waiting)
            .label("window_seconds", WINDOW_NANOS / SECOND);
    return Complaints.attach(finding, evidence);
  }
}
