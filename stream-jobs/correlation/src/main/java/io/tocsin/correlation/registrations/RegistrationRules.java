package io.tocsin.correlation.registrations;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.correlation.registrations.ClientDecision.Forgotten;
import io.tocsin.correlation.registrations.ClientDecision.TooLate;
import io.tocsin.correlation.registrations.ClientDecision.Transition;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The registration of one MAC in one family: its messages, the register's word on its access, and
 * the end of its lease become transitions.
 *
 * <p>A transition is told where the state or the address is another one, the lease began anew, or
 * the access changed. It compares what is known with what was told before, so a late message that
 * changes nothing tells nothing, and one that does tells the difference.
 *
 * <p>A version is the one before it plus one. The first one is the Unix millisecond of its
 * transition, so that a client that was forgotten, or a job that lost its state, goes on above what
 * it has told.
 */
public final class RegistrationRules {
  /** Cause of a transition that the register made. */
  public static final String ACCESS_CHANGED = "access_changed";

  /** A longer lease is one without an end: nobody waits for decades to forget a client. */
  private static final long LONGEST_LEASE_NANOS = 400L * 86_400 * Nanos.PER_SECOND;

  private final MessageFold messages;
  private final WaitingLines waitingLines;
  private final Observer observer;
  private final long repeatWindowNanos;
  private final long forgetAfterNanos;

  /**
   * Rules with their three durations, all of event time.
   *
   * @param lateness how much older than the newest message one may be and still count
   * @param repeatWindow how far apart two tellings of one message may lie
   * @param forgetAfter silence after which a client without a running lease is forgotten
   */
  public RegistrationRules(Duration lateness, Duration repeatWindow, Duration forgetAfter) {
    Repeats repeats = new Repeats(repeatWindow);
    this.messages = new MessageFold(lateness, repeats);
    this.waitingLines = new WaitingLines(messages, repeats);
    this.observer = new Observer(messages);
    this.repeatWindowNanos = repeatWindow.toNanos();
    this.forgetAfterNanos = forgetAfter.toNanos();
  }

  /** 4 or 6: which of a MAC's two registrations an event with a DHCP body belongs to. */
  public static int familyOf(Event event) {
    return Verb.familyOf(event.getDhcp().getMessageType());
  }

  /**
   * Takes one DHCP message.
   *
   * @param state of the event's MAC and family, null where there is none; changed in place
   * @param access of the MAC by the register
   * @param event with a DHCP body and a MAC
   */
  public Step<TrackedClient, ClientDecision> onMessage(
      TrackedClient state, Access access, Event event) {
    TrackedClient known = state == null ? new TrackedClient() : state;
    Client before = messages.fold(known);
    DhcpMessage message = DhcpMessage.of(event, before);
    if (message.verb() == Verb.NONE) {
      return step(state, observer.onComplaint(event, before));
    }
    if (messages.isKnown(known, message)) {
      return step(known, List.of());
    }
    if (messages.isTooLate(known, message)) {
      return step(known, List.of(new TooLate()));
    }
    if (waitingLines.mustWait(known, before, message)) {
      known.waiting = new ArrayList<>(known.waiting);
      known.waiting.add(message);
      return new Step<>(known, List.of(), nextTimer(known, before));
    }
    ClientUpdate update =
        new ClientUpdate(event.getDhcp().getMac(), familyOf(event), access, known, before);
    if (!message.isLogged()) {
      update.takeAll(waitingLines.before(known, message));
    }
    update.take(message);
    if (!message.isLogged()) {
      update.takeAll(waitingLines.repeating(known, message));
    }
    return update.step();
  }

  /**
   * Takes a change of the register.
   *
   * @param state of the MAC in one family, null where there is none; changed in place
   * @param access that it has now
   * @param changedAtUnixNanos when the register changed
   */
  public Step<TrackedClient, ClientDecision> onAccess(
      String mac, int family, TrackedClient state, Access access, long changedAtUnixNanos) {
    if (state == null || state.version == 0) {
      return step(state, List.of());
    }
    Client client = messages.fold(state);
    state.version++;
    Registration decision =
        registration(mac, family, state.version, client, client, access).toBuilder()
            .setChangedAtUnixNanos(Math.max(changedAtUnixNanos, client.changedAtUnixNanos))
            .setCause(ACCESS_CHANGED)
            .clearEventId()
            .build();
    return step(state, List.of(new Transition(decision)));
  }

  /**
   * Takes a timer.
   *
   * @param state of the MAC in one family, changed in place
   * @param nowUnixNanos event time that the stream has reached
   */
  public Step<TrackedClient, ClientDecision> onTimer(
      String mac, int family, TrackedClient state, Access access, long nowUnixNanos) {
    ClientUpdate update = new ClientUpdate(mac, family, access, state, messages.fold(state));
    update.takeAll(WaitingLines.due(state, nowUnixNanos));
    update.reach(nowUnixNanos);
    boolean isOver = forgetAt(update.client) <= nowUnixNanos && state.waiting.isEmpty();
    if (!isOver) {
      return update.step();
    }
    if (mayGo(state, update.client, access)) {
      update.decisions.add(Forgotten.of(mac, family));
    }
    return Step.forget(update.decisions);
  }

  /**
   * Whether the topic may forget the client too. Of one with a lease, or of one that the register
   * knows, the last word stands: what enforces access follows it, and a printer may be silent for
   * months. So what is left on the topic is bounded by leases and by the register.
   */
  private static boolean mayGo(TrackedClient state, Client client, Access access) {
    return state.version != 0 && access == Access.ACCESS_BLOCKED && !client.isLeased();
  }

  private static Step<TrackedClient, ClientDecision> step(
      TrackedClient state, List<? extends ClientDecision> decisions) {
    return new Step<>(state, List.copyOf(decisions), Step.NO_TIMER);
  }

  /** One client in one step: what it becomes, and what is decided of that. */
  private final class ClientUpdate {
    private final String mac;
    private final int family;
    private final Access access;
    private final TrackedClient tracked;
    private final List<ClientDecision> decisions = new ArrayList<>(4);
    private Client client;

    ClientUpdate(String mac, int family, Access access, TrackedClient tracked, Client client) {
      this.mac = mac;
      this.family = family;
      this.access = access;
      this.tracked = tracked;
      this.client = client;
    }

    void take(DhcpMessage message) {
      messages.insert(tracked, message);
      Client after = messages.fold(tracked);
      decisions.addAll(observer.onMessage(mac, tracked, message, client, after));
      become(after);
    }

    void takeAll(List<DhcpMessage> lines) {
      if (!lines.isEmpty()) {
        tracked.waiting = new ArrayList<>(tracked.waiting);
        tracked.waiting.removeAll(lines);
      }
      lines.forEach(this::take);
    }

    void reach(long unixNanos) {
      tracked.clockUnixNanos = Math.max(tracked.clockUnixNanos, unixNanos);
      Client after = messages.fold(tracked);
      decisions.addAll(observer.onTimer(mac, family, client, after));
      become(after);
    }

    private void become(Client after) {
      if (after.state != State.STATE_UNSPECIFIED && isTransition(client, after)) {
        tracked.version = nextVersion(tracked, after);
        decisions.add(
            new Transition(registration(mac, family, tracked.version, client, after, access)));
      }
      client = after;
    }

    Step<TrackedClient, ClientDecision> step() {
      return new Step<>(tracked, decisions, nextTimer(tracked, client));
    }
  }

  private boolean isTransition(Client before, Client after) {
    return before.state != after.state
        || !before.ip.equals(after.ip)
        || isAnotherLease(before.lease, after.lease);
  }

  private boolean isAnotherLease(Lease before, Lease after) {
    if (before.startedAtUnixNanos() == Lease.NEVER || after.startedAtUnixNanos() == Lease.NEVER) {
      return before.startedAtUnixNanos() != after.startedAtUnixNanos();
    }
    return Math.abs(before.startedAtUnixNanos() - after.startedAtUnixNanos()) > repeatWindowNanos;
  }

  private static long nextVersion(TrackedClient tracked, Client client) {
    return tracked.version == 0
        ? Math.max(1, client.changedAtUnixNanos / Nanos.PER_MILLI)
        : tracked.version + 1;
  }

  /** The end of the lease, or of what is remembered, or of the wait of a line. */
  private long nextTimer(TrackedClient tracked, Client client) {
    long ends = isRunning(client) ? client.lease.expiresAtUnixNanos() : forgetAt(client);
    return tracked.waiting.stream().mapToLong(DhcpMessage::timeUnixNanos).reduce(ends, Math::min);
  }

  private long forgetAt(Client client) {
    return isRunning(client) ? Lease.OPEN : client.newestUnixNanos + forgetAfterNanos;
  }

  private static boolean isRunning(Client client) {
    return client.isLeased()
        && client.lease.isTimed()
        && client.lease.expiresAtUnixNanos() - client.newestUnixNanos <= LONGEST_LEASE_NANOS;
  }

  private static Registration registration(
      String mac, int family, long version, Client before, Client after, Access access) {
    Registration.Builder registration =
        Registration.newBuilder()
            .setMac(mac)
            .setFamily(family)
            .setVersion(version)
            .setIp(after.ip)
            .setState(after.state)
            .setAccess(access)
            .setServer(after.server)
            .setRelay(after.relay)
            .setCircuitId(after.circuitId)
            .setRemoteId(after.remoteId)
            .setHostname(after.hostname)
            .setVendorClass(after.vendorClass)
            .setFingerprint(after.fingerprint)
            .setChangedAtUnixNanos(after.changedAtUnixNanos)
            .setPreviousState(before.state)
            .setPreviousIp(before.ip)
            .setCause(after.cause)
            .setEventId(after.eventId)
            .setSite(after.site);
    if (after.isLeased() && after.lease.isTimed()) {
      registration.setLeaseExpiresAtUnixNanos(after.lease.expiresAtUnixNanos());
    }
    return registration.build();
  }
}
