package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Who holds one address.
 *
 * <p>{@code ip_moved}: another MAC got it while the last one held it, or soon after, so that the
 * gateway may still send to the old one. {@code ip_conflict}: two MACs hold it by leases that both
 * run, or a client or server found it in use.
 */
public final class AddressRules implements FindingRules<AddressRules.Address> {
  private static final long SECOND = 1_000_000_000L;
  private static final long MOVED_CALM_NANOS = 1_800 * SECOND;
  private static final long IN_USE_CALM_NANOS = 600 * SECOND;
  private static final long LOOK_NANOS = 30 * SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * SECOND;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public AddressRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * The holders of an address; kept until it is free and nothing is raised, at most for a week of
   * silence.
   *
   * @param ip the address
   * @param site configured place
   * @param now newest holder, null before the first
   * @param before the one before it, null where there is none
   * @param inUseBy who found it in use; empty where nobody did
   * @param detail words of a server that found it in use
   * @param newestUnixNanos newest observation
   * @param moved state of the finding
   * @param conflict state of the finding
   */
  public record Address(
      String ip,
      String site,
      Holder now,
      Holder before,
      String inUseBy,
      String detail,
      long newestUnixNanos,
      Condition moved,
      Condition conflict) {}

  /**
   * Who has or had it. Times are Unix nanoseconds.
   *
   * @param mac hardware address
   * @param server that gave it
   * @param link relay, or local
   * @param gateway that may remember it
   * @param place switch and circuit
   * @param endsAtUnixNanos end of its lease, or when it was given back
   */
  public record Holder(
      String mac, String server, String link, String gateway, String place, long endsAtUnixNanos) {

    static Holder of(Observation seen) {
      return new Holder(
          seen.mac(),
          seen.server(),
          seen.link(),
          seen.gateway(),
          seen.place(),
          seen.expiresAtUnixNanos());
    }

    Holder endedAt(long unixNanos) {
      return new Holder(mac, server, link, gateway, place, Math.min(endsAtUnixNanos, unixNanos));
    }
  }

  @Override
  public boolean concerns(Observation seen) {
    return switch (seen.kind()) {
      case BOUND, FREED, DECLINED, ABANDONED -> !seen.ip().isEmpty();
      default -> false;
    };
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.ip();
  }

  @Override
  public FindingStep<Address> onObservation(
      Address known, Observation seen, Complaints complaints) {
    Address before =
        known != null
            ? known
            : new Address(
                seen.ip(),
                seen.site(),
                null,
                null,
                "",
                "",
                seen.timeUnixNanos(),
                Condition.CALM,
                Condition.CALM);
    return switch (seen.kind()) {
      case BOUND -> onBound(before, seen);
      case FREED -> onFreed(before, seen);
      default -> onInUse(before, seen);
    };
  }

  private FindingStep<Address> onBound(Address known, Observation seen) {
    long time = seen.timeUnixNanos();
    Holder holder = Holder.of(seen);
    Holder last = known.now;
    if (last == null || last.mac().equals(seen.mac())) {
      return judge(with(known, holder, known.before, time), time, false);
    }
    long free = time - Math.min(time, last.endsAtUnixNanos());
    boolean isMove = free <= limits.movedWithinSeconds() * SECOND;
    return judge(with(known, holder, last, time), time, isMove);
  }

  private FindingStep<Address> onFreed(Address known, Observation seen) {
    long time = seen.timeUnixNanos();
    return judge(
        with(
            known, freed(known.now, seen.mac(), time), freed(known.before, seen.mac(), time), time),
        time,
        false);
  }

  private static Holder freed(Holder holder, String mac, long unixNanos) {
    return holder != null && holder.mac().equals(mac) ? holder.endedAt(unixNanos) : holder;
  }

  private FindingStep<Address> onInUse(Address known, Observation seen) {
    Address now =
        new Address(
            known.ip,
            known.site,
            known.now,
            known.before,
            seen.mac().isEmpty() ? seen.server() : seen.mac(),
            seen.detail(),
            Math.max(known.newestUnixNanos, seen.timeUnixNanos()),
            known.moved,
            known.conflict);
    return judge(now, now.newestUnixNanos, false);
  }

  private static Address with(Address known, Holder now, Holder before, long unixNanos) {
    return new Address(
        known.ip,
        known.site,
        now,
        before,
        known.inUseBy,
        known.detail,
        Math.max(known.newestUnixNanos, unixNanos),
        known.moved,
        known.conflict);
  }

  @Override
  public FindingStep<Address> onTimer(Address known, long now, Complaints complaints) {
    return known == null ? FindingStep.forget(List.of()) : judge(known, now, false);
  }

  private FindingStep<Address> judge(Address known, long now, boolean isMove) {
    boolean isHeldTwice = isHeld(known.now, now) && isHeld(known.before, now);
    boolean isFoundInUse =
        !known.inUseBy.isEmpty() && now - known.newestUnixNanos < IN_USE_CALM_NANOS;
    boolean isConflict = isHeldTwice || isFoundInUse;
    Word movedWord = isMove ? Word.RAISE : known.moved.word(false, now, MOVED_CALM_NANOS);
    Word conflictWord = known.conflict.word(isConflict, now, 0);
    List<Event> findings = new ArrayList<>();
    if (movedWord != Word.NOTHING) {
      findings.add(moved(known).event(movedWord, now));
    }
    if (conflictWord != Word.NOTHING) {
      findings.add(conflict(known, isHeldTwice).event(conflictWord, now));
    }
    Address next =
        new Address(
            known.ip,
            known.site,
            known.now,
            known.before,
            isFoundInUse ? known.inUseBy : "",
            isFoundInUse ? known.detail : "",
            known.newestUnixNanos,
            known.moved.after(movedWord, isMove, now),
            known.conflict.after(conflictWord, isConflict, now));
    return remember(next, findings, now);
  }

  private static boolean isHeld(Holder holder, long now) {
    return holder != null && holder.endsAtUnixNanos() > now;
  }

  private FindingStep<Address> remember(Address known, List<Event> findings, long now) {
    boolean isRaised = known.moved.isRaised() || known.conflict.isRaised();
    long ended = known.now == null ? known.newestUnixNanos : known.now.endsAtUnixNanos();
    long keptUntil =
        Math.min(known.newestUnixNanos + FORGET_NANOS, later(ended, limits.movedWithinSeconds()));
    if (isRaised) {
      return FindingStep.of(known, findings, now + LOOK_NANOS);
    }
    return now >= keptUntil
        ? FindingStep.forget(findings)
        : FindingStep.of(known, findings, keptUntil);
  }

  private static long later(long unixNanos, long seconds) {
    long delay = (seconds + 1) * SECOND;
    return unixNanos > Long.MAX_VALUE - delay ? Long.MAX_VALUE : unixNanos + delay;
  }

  private static Finding moved(Address known) {
    Holder now = known.now == null ? known.before : known.now;
    Holder before = known.before == null ? now : known.before;
    String gateway = now.gateway().isEmpty() ? before.gateway() : now.gateway();
    return Finding.of("ip_moved", Severity.SEVERITY_WARNING, known.ip, known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%s moved from %s to %s: the ARP entry of %s may be stale",
                known.ip,
                before.mac(),
                now.mac(),
                gateway.isEmpty() ? "its gateway" : "gateway " + gateway))
        .label("ip", known.ip)
        .label("old_mac", before.mac())
        .label("new_mac", now.mac())
        .label("gateway", gateway)
        .label("server", now.server())
        .label("scope", now.link())
        .label("relay", now.link())
        .label("old_place", before.place())
        .label("new_place", now.place());
  }

  private static Finding conflict(Address known, boolean isHeldTwice) {
    String holder = known.now == null ? "" : known.now.mac();
    String other = isHeldTwice ? known.before.mac() : known.inUseBy;
    return Finding.of("ip_conflict", Severity.SEVERITY_MAJOR, known.ip, known.site)
        .summary(
            isHeldTwice
                ? String.format(Locale.ROOT, "%s is claimed by %s and %s", known.ip, holder, other)
                : String.format(Locale.ROOT, "%s was found in use by %s", known.ip, other))
        .label("ip", known.ip)
        .label("mac", holder)
        .label("other_mac", other)
        .label("server", known.now == null ? "" : known.now.server())
        .label("scope", known.now == null ? "" : known.now.link())
        .label("relay", known.now == null ? "" : known.now.link())
        .label("evidence", known.detail);
  }
}
