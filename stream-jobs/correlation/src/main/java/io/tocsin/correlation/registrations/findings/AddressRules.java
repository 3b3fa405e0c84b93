package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * Who holds one address.
 *
 * <p>{@code ip-moved}: another MAC got it while the last one held it, or soon after, so that the
 * gateway may still send to the old one. {@code ip-conflict}: two MACs hold it by leases that both
 * run, or a client or server found it in use. That the first gave it back may be read later than
 * that the second got it, because they are keys of different partitions: two holders are told only
 * when the watermark is beyond the second.
 */
public final class AddressRules implements FindingRules<Observation, AddressRules.Address> {
  private static final long MOVED_CALM_NANOS = 1_800 * Nanos.PER_SECOND;
  private static final long IN_USE_CALM_NANOS = 600 * Nanos.PER_SECOND;
  private static final long SETTLE_NANOS = Nanos.PER_SECOND;
  private static final long LOOK_NANOS = 30 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * Nanos.PER_SECOND;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public AddressRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * The holders of an address; kept until it is free and nothing is raised, at most for a week of
   * silence.
   */
  public static final class Address extends TimedState {
    /** The address. */
    public String ip = "";

    /** Configured place. */
    public String site = "";

    /** Newest holder, null before the first. */
    public Holder now;

    /** The one before it, null where there is none. */
    public Holder before;

    /** Who found it in use; empty where nobody did. */
    public String inUseBy = "";

    /** Words of a server that found it in use. */
    public String detail = "";

    /** Since when two hold it, 0 where one or nobody does. */
    public long heldTwiceSinceUnixNanos;

    /** Newest observation. */
    public long newestUnixNanos;

    /** State of the finding. */
    public Condition moved = new Condition();

    /** State of the finding. */
    public Condition conflict = new Condition();

    /** Nobody holds it. */
    public Address() {}
  }

  /** Who has or had it. */
  public static final class Holder {
    /** Hardware address. */
    public String mac = "";

    /** Server that gave it. */
    public String server = "";

    /** Relay, or local. */
    public String link = "";

    /** Gateway that may remember it. */
    public String gateway = "";

    /** Switch and circuit. */
    public String place = "";

    /** End of its lease, or when it was given back, Unix nanoseconds. */
    public long endsAtUnixNanos;

    /** Nobody. */
    public Holder() {}

    static Holder of(Observation seen) {
      Holder holder = new Holder();
      holder.mac = seen.mac();
      holder.server = seen.server();
      holder.link = seen.link();
      holder.gateway = seen.gateway();
      holder.place = seen.place();
      holder.endsAtUnixNanos = seen.expiresAtUnixNanos();
      return holder;
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
  public Step<Address, Event> onInput(Address known, Observation seen) {
    Address address = known == null ? new Address() : known;
    address.ip = seen.ip();
    address.site = seen.site();
    address.newestUnixNanos = Math.max(address.newestUnixNanos, seen.timeUnixNanos());
    return switch (seen.kind()) {
      case BOUND -> judge(address, seen.timeUnixNanos(), isMoveTo(address, seen), false);
      case FREED -> {
        free(address.now, seen);
        free(address.before, seen);
        yield judge(address, seen.timeUnixNanos(), false, false);
      }
      default -> {
        address.inUseBy = seen.mac().isEmpty() ? seen.server() : seen.mac();
        address.detail = seen.detail();
        yield judge(address, address.newestUnixNanos, false, false);
      }
    };
  }

  /** Gives the address to who is bound to it; whether another one held it until lately. */
  private boolean isMoveTo(Address address, Observation seen) {
    long time = seen.timeUnixNanos();
    Holder last = address.now;
    address.now = Holder.of(seen);
    if (last == null || last.mac.equals(seen.mac())) {
      return false;
    }
    address.before = last;
    long free = time - Math.min(time, last.endsAtUnixNanos);
    return free <= limits.movedWithinSeconds() * Nanos.PER_SECOND;
  }

  private static void free(Holder holder, Observation seen) {
    if (holder != null && holder.mac.equals(seen.mac())) {
      holder.endsAtUnixNanos = Math.min(holder.endsAtUnixNanos, seen.timeUnixNanos());
    }
  }

  @Override
  public Step<Address, Event> onTimer(Address address, long now) {
    return judge(address, now, false, true);
  }

  private Step<Address, Event> judge(
      Address address, long now, boolean isMove, boolean isWatermark) {
    boolean isHeldTwice = isHeldTwice(address, now, isWatermark);
    boolean isFoundInUse =
        !address.inUseBy.isEmpty() && now - address.newestUnixNanos < IN_USE_CALM_NANOS;
    List<Event> decisions = new ArrayList<>();
    if (isMove) {
      address.moved.raise(now, () -> moved(address), decisions);
    } else {
      address.moved.follow(false, now, MOVED_CALM_NANOS, () -> moved(address), decisions);
    }
    address.conflict.follow(
        isHeldTwice || isFoundInUse, now, 0, () -> conflict(address, isHeldTwice), decisions);
    if (!isFoundInUse) {
      address.inUseBy = "";
      address.detail = "";
    }
    return remember(address, decisions, now);
  }

  /** Whether two hold it, once no word of the first can come any more. */
  private static boolean isHeldTwice(Address address, long now, boolean isWatermark) {
    if (!isHeld(address.now, now) || !isHeld(address.before, now)) {
      address.heldTwiceSinceUnixNanos = 0;
      return false;
    }
    if (address.heldTwiceSinceUnixNanos == 0) {
      address.heldTwiceSinceUnixNanos = now;
    }
    return address.conflict.isRaised
        || isWatermark && now >= address.heldTwiceSinceUnixNanos + SETTLE_NANOS;
  }

  private static boolean isHeld(Holder holder, long now) {
    return holder != null && holder.endsAtUnixNanos > now;
  }

  private Step<Address, Event> remember(Address address, List<Event> decisions, long now) {
    if (address.heldTwiceSinceUnixNanos != 0 && !address.conflict.isRaised) {
      return new Step<>(address, decisions, address.heldTwiceSinceUnixNanos + SETTLE_NANOS);
    }
    if (address.moved.isRaised || address.conflict.isRaised) {
      return new Step<>(address, decisions, now + LOOK_NANOS);
    }
    long ended = address.now == null ? address.newestUnixNanos : address.now.endsAtUnixNanos;
    long keptUntil =
        Math.min(address.newestUnixNanos + FORGET_NANOS, later(ended, limits.movedWithinSeconds()));
    return now >= keptUntil ? Step.forget(decisions) : new Step<>(address, decisions, keptUntil);
  }

  private static long later(long unixNanos, long seconds) {
    long delay = (seconds + 1) * Nanos.PER_SECOND;
    return unixNanos > Long.MAX_VALUE - delay ? Long.MAX_VALUE : unixNanos + delay;
  }

  private static Finding moved(Address address) {
    Holder now = address.now == null ? address.before : address.now;
    Holder before = address.before == null ? now : address.before;
    String gateway = now.gateway.isEmpty() ? before.gateway : now.gateway;
    return Finding.of(
            Finding.REGISTRATIONS_JOB,
            "ip-moved",
            Severity.SEVERITY_WARNING,
            address.ip,
            address.site)
        .summary(
            "%s moved from %s to %s: the ARP entry of %s may be stale",
            address.ip,
            before.mac,
            now.mac,
            gateway.isEmpty() ? "its gateway" : "gateway " + gateway)
        .label("ip", address.ip)
        .label("old_mac", before.mac)
        .label("new_mac", now.mac)
        .label("gateway", gateway)
        .label("server", now.server)
        .label("scope", now.link)
        .label("relay", now.link)
        .label("old_place", before.place)
        .label("new_place", now.place);
  }

  private static Finding conflict(Address address, boolean isHeldTwice) {
    Holder holder = address.now == null ? new Holder() : address.now;
    String other = isHeldTwice ? address.before.mac : address.inUseBy;
    Finding finding =
        Finding.of(
            Finding.REGISTRATIONS_JOB,
            "ip-conflict",
            Severity.SEVERITY_MAJOR,
            address.ip,
            address.site);
    return (isHeldTwice
            ? finding.summary("%s is claimed by %s and %s", address.ip, holder.mac, other)
            : finding.summary("%s was found in use by %s", address.ip, other))
        .label("ip", address.ip)
        .label("mac", holder.mac)
        .label("other_mac", other)
        .label("server", holder.server)
        .label("scope", holder.link)
        .label("relay", holder.link)
        .label("evidence", address.detail);
  }
}
