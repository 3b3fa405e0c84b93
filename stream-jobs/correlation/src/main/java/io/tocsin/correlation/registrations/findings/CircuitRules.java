package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Locale;

/**
 * {@code circuit_moved}: a MAC is plugged in at another circuit than before. Once it is a person
 * with a laptop, again and again a loop or a copied address.
 */
public final class CircuitRules implements FindingRules<CircuitRules.Moves> {
  private static final long SECOND = 1_000_000_000L;
  private static final int SLICES = 10;
  private static final long SLICE_NANOS = 60 * SECOND;
  private static final long CALM_NANOS = SLICES * SLICE_NANOS;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public CircuitRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * Moves of one MAC within ten minutes; kept as long.
   *
   * @param mac hardware address
   * @param site configured place
   * @param moves each minute
   * @param from place before the newest move
   * @param to place after it
   * @param server that answers there
   * @param link relay, or local
   * @param told state of the finding
   */
  public record Moves(
      String mac,
      String site,
      Window moves,
      String from,
      String to,
      String server,
      String link,
      Condition told) {}

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.MOVED;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.mac();
  }

  @Override
  public FindingStep<Moves> onObservation(Moves known, Observation seen, Complaints complaints) {
    Window moves = known == null ? Window.of(SLICES, SLICE_NANOS) : known.moves;
    Moves now =
        new Moves(
            seen.mac(),
            known == null ? seen.site() : known.site,
            moves.plus(seen.timeUnixNanos()),
            seen.detail(),
            seen.place(),
            seen.server(),
            seen.link(),
            known == null ? Condition.CALM : known.told);
    return judge(now, seen.timeUnixNanos(), now.moves.sum() >= limits.minMoves());
  }

  @Override
  public FindingStep<Moves> onTimer(Moves known, long now, Complaints complaints) {
    return known == null ? FindingStep.forget(List.of()) : judge(known, now, false);
  }

  private FindingStep<Moves> judge(Moves known, long now, boolean hasMoved) {
    Word word = known.told.word(hasMoved, now, CALM_NANOS);
    Moves next =
        new Moves(
            known.mac,
            known.site,
            known.moves.at(now),
            known.from,
            known.to,
            known.server,
            known.link,
            known.told.after(word, hasMoved, now));
    List<Event> findings = word == Word.NOTHING ? List.of() : List.of(moved(next).event(word, now));
    boolean isOver = !next.told.isRaised() && next.moves.sum() == 0;
    return isOver
        ? FindingStep.forget(findings)
        : FindingStep.of(next, findings, now + SLICE_NANOS);
  }

  private static Finding moved(Moves known) {
    return Finding.of("circuit_moved", Severity.SEVERITY_WARNING, known.mac, known.site)
        .summary(
            String.format(Locale.ROOT, "%s moved from %s to %s", known.mac, known.from, known.to))
        .label("mac", known.mac)
        .label("from", known.from)
        .label("to", known.to)
        .label("moves", known.moves.sum())
        .label("server", known.server)
        .label("scope", known.link)
        .label("relay", known.link);
  }
}
