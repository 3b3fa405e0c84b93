package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Bounds how many alerts the updates of one source can make, and those of all: whoever may send a
 * datagram can make up names, of sources too, and each is remembered until it expires. Beyond the
 * bound new ones are refused, counted as evicted, and told as alert {@code source-limit}; those
 * that are known go on.
 *
 * <p>Sources are spread over {@value #ROOMS} rooms by their names, and those of one room share the
 * bound of one source: so there is one over all, and a flood of one source is felt by those beside
 * it alone.
 *
 * <p>A room has {@value #SHARES} keys, so that a busy source is not the work of one instance, and
 * each has an equal share of the bound: names do not fill them quite evenly, and the first are
 * refused when some nine tenths of the bound are reached.
 */
public final class SourceLimitRules implements KeyedRules<Signal, SourceAlerts, Signal> {
  static final int ROOMS = 16;
  static final int SHARES = 256;

  private static final int HEX_DIGITS_OF_LONG = 16;
  private static final long TELL_NANOS = 60 * Nanos.PER_SECOND;
  private static final Duration TOLD_EXPIRES_AFTER = Duration.ofHours(1);

  private final int room;
  private final long forgetAfterNanos;

  /**
   * Rules with their bound.
   *
   * @param maxAlerts of one room, at least one, those included that are over and remembered
   * @param forgetAfter how long one that is over is remembered
   */
  public SourceLimitRules(int maxAlerts, Duration forgetAfter) {
    this.room = (maxAlerts - 1) / SHARES + 1;
    this.forgetAfterNanos = forgetAfter.toNanos();
  }

  /** Key of a signal: the room of its source, and one of its shares. */
  public static String keyOf(Signal signal) {
    return roomOf(signal) + " " + Math.floorMod(nameOf(signal), SHARES);
  }

  private static int roomOf(Signal signal) {
    return Math.floorMod(signal.getSource().hashCode(), ROOMS);
  }

  private static long nameOf(Signal signal) {
    return HexFormat.fromHexDigitsToLong(Fingerprint.of(signal), 0, HEX_DIGITS_OF_LONG);
  }

  /** Lets a signal pass, or refuses it. */
  @Override
  public Step<SourceAlerts, Signal> onInput(SourceAlerts known, Signal signal) {
    SourceAlerts alerts = known == null ? new SourceAlerts() : known;
    Map<Long, Long> names = alerts.forgottenAtUnixNanos;
    long now = signal.getReceivedAtUnixNanos();
    long name = nameOf(signal);
    if (!names.containsKey(name) && names.size() >= room) {
      names.values().removeIf(forgottenAt -> forgottenAt <= now);
    }
    if (!names.containsKey(name) && names.size() >= room) {
      return refuse(alerts, signal, now);
    }
    long over = now + Nanos.PER_SECOND * Integer.toUnsignedLong(signal.getExpiresAfterSeconds());
    long forgottenAt = over + forgetAfterNanos;
    names.put(name, forgottenAt);
    return new Step<>(alerts, List.of(signal), forgottenAt);
  }

  private static Step<SourceAlerts, Signal> refuse(SourceAlerts alerts, Signal signal, long now) {
    boolean isNews = alerts.toldAtUnixNanos == 0 || now - alerts.toldAtUnixNanos >= TELL_NANOS;
    if (isNews) {
      alerts.toldAtUnixNanos = now;
    }
    List<Signal> decisions = isNews ? List.of(full(signal, now)) : List.of();
    // The names that fill the room have set a timer.
    return new Step<>(alerts, decisions, Step.NO_TIMER, 1);
  }

  /**
   * One alert of each room, with the name of a source that was refused: those can be made up. It
   * ends by silence: as long as one is refused, it is told again.
   */
  private static Signal full(Signal refused, long now) {
    String source = refused.getSource();
    return Signal.newBuilder()
        .setKind(Signal.Kind.KIND_RAISE)
        .putFingerprintFields("source", Storm.OWN_SOURCE)
        .putFingerprintFields("room", Integer.toString(roomOf(refused)))
        .setSeverity(Severity.SEVERITY_MAJOR)
        .setSource(Storm.OWN_SOURCE)
        .setCheck("source-limit")
        .setRunbook("source-limit")
        .setSummary(
            "source "
                + source
                + ", with those that share its room, has too many alerts: new ones are refused")
        .putLabels("limited_source", source)
        .setEventTimeUnixNanos(now)
        .setReceivedAtUnixNanos(now)
        .setEventId(refused.getEventId())
        .setExpiresAfterSeconds((int) TOLD_EXPIRES_AFTER.toSeconds())
        .build();
  }

  @Override
  public Step<SourceAlerts, Signal> onTimer(SourceAlerts alerts, long nowUnixNanos) {
    Collection<Long> times = alerts.forgottenAtUnixNanos.values();
    times.removeIf(forgottenAt -> forgottenAt <= nowUnixNanos);
    return times.isEmpty() ? Step.forget(List.of()) : Step.keep(alerts, Collections.min(times));
  }
}
