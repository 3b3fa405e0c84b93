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
 * {@code circuit-moved}: a MAC is plugged in at another circuit than before. Once it is a person
 * with a laptop, again and again a loop or a copied address.
 */
public final class CircuitRules implements FindingRules<Observation, CircuitRules.Moves> {
  private static final int SLICES = 10;
  private static final long SLICE_NANOS = 60 * Nanos.PER_SECOND;
  private static final long CALM_NANOS = SLICES * SLICE_NANOS;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public CircuitRules(FindingLimits limits) {
    this.limits = limits;
  }

  /** Moves of one MAC within ten minutes; kept as long. */
  public static final class Moves extends TimedState {
    /** Hardware address. */
    public String mac = "";

    /** Configured place. */
    public String site = "";

    /** Moves each minute. */
    public Window moves = new Window(SLICES, SLICE_NANOS);

    /** Circuit before the newest move. */
    public String from = "";

    /** Circuit after it. */
    public String to = "";

    /** Server that answers there. */
    public String server = "";

    /** Relay, or local. */
    public String link = "";

    /** State of the finding. */
    public Condition moved = new Condition();

    /** None. */
    public Moves() {}
  }

  @Override
  public boolean concerns(Observation seen) {
    return seen.kind() == Kind.MOVED;
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.mac();
  }

  @Override
  public Step<Moves, Event> onInput(Moves known, Observation seen) {
    Moves moves = known == null ? new Moves() : known;
    moves.site = known == null ? seen.site() : moves.site;
    moves.mac = seen.mac();
    moves.from = seen.detail();
    moves.to = seen.place();
    moves.server = seen.server();
    moves.link = seen.link();
    moves.moves.add(seen.timeUnixNanos());
    return judge(moves, seen.timeUnixNanos(), moves.moves.sum() >= limits.minMoves());
  }

  @Override
  public Step<Moves, Event> onTimer(Moves moves, long now) {
    return judge(moves, now, false);
  }

  private static Step<Moves, Event> judge(Moves moves, long now, boolean hasMoved) {
    moves.moves.slideTo(now);
    List<Event> decisions = new ArrayList<>();
    moves.moved.follow(hasMoved, now, CALM_NANOS, () -> moved(moves), decisions);
    boolean isOver = !moves.moved.isRaised && moves.moves.sum() == 0;
    return isOver ? Step.forget(decisions) : new Step<>(moves, decisions, now + SLICE_NANOS);
  }

  private static Finding moved(Moves moves) {
    return Finding.of(
            Finding.REGISTRATIONS_JOB,
            "circuit-moved",
            Severity.SEVERITY_WARNING,
            moves.mac,
            moves.site)
        .summary("%s moved from %s to %s", moves.mac, moves.from, moves.to)
        .label("mac", moves.mac)
        .label("from", moves.from)
        .label("to", moves.to)
        .label("moves", moves.moves.sum())
        .label("server", moves.server)
        .label("scope", moves.link)
        .label("relay", moves.link);
  }
}
