package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.history.History;
import io.tocsin.rules.replay.Replay;
import java.io.PrintWriter;
import java.util.Locale;

/** Hands history to a replay, and says how far it is when that takes more than two seconds. */
final class ReplayProgress implements History.Taker {
  private static final long EVERY_NANOS = 2_000_000_000L;
  private static final int LOOK_AT_CLOCK_EVERY = 1_000;

  private final PrintWriter err;
  private final Replay replay;
  private long toldAtNanos = System.nanoTime();
  private boolean hasTold;

  ReplayProgress(PrintWriter err, Replay replay) {
    this.err = err;
    this.replay = replay;
  }

  @Override
  public void event(Event event) {
    replay.onEvent(event);
    if (replay.events() % LOOK_AT_CLOCK_EVERY == 0
        && System.nanoTime() - toldAtNanos > EVERY_NANOS) {
      toldAtNanos = System.nanoTime();
      hasTold = true;
      tell(", at " + Nanos.toInstant(event.getReceivedAtUnixNanos()));
    }
  }

  @Override
  public void said(Acknowledgement said) {
    replay.onSaid(said);
  }

  void end() {
    if (hasTold) {
      tell("");
    }
  }

  private void tell(String where) {
    err.println(String.format(Locale.ROOT, "%,d events%s", replay.events(), where));
    err.flush();
  }
}
