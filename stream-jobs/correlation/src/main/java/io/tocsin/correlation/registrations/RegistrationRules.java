package io.tocsin.correlation.registrations;

import io.tocsin.correlation.registrations.Client.Lease;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

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

  private static final long NANOS_PER_MILLI = 1_000_000;

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
   * @param state of the event's MAC and family, null where there is none
   * @param access of the MAC by the register
   * @param event with a DHCP body and a MAC
   */
  public RegistrationStep onMessage(TrackedClient state, Access access, Event event) {
    DhcpMessage message = DhcpMessage.of(event);
    TrackedClient known = state == null ? TrackedClient.UNKNOWN : state;
    Client before = messages.fold(known);
    if (message.verb() == Verb.NONE) {
      return RegistrationStep.silent(state, observer.onComplaint(event, before));
    }
    if (MessageFold.isKnown(known, message)) {
      return RegistrationStep.silent(known, List.of());
    }
    if (messages.isTooLate(known, message)) {
      return RegistrationStep.tooLate(known);
    }
    if (waitingLines.mustWait(known, before, message)) {
      return withTimer(known.keepingWaiting(message), before, List.of());
    }
    Telling telling = new Telling(event.getDhcp().getMac(), familyOf(event), access, known, before);
    if (!message.isLogged()) {
      telling.takeAll(waitingLines.before(known, message));
    }
    telling.take(message);
    if (!message.isLogged()) {
      telling.takeAll(waitingLines.repeating(known, message));
    }
    return telling.step();
  }

  /**
   * Takes a change of the register.
   *
   * @param state of the MAC in one family, null where there is none
   * @param access that it has now
   * @param changedAtUnixNanos when the register changed
   */
  public RegistrationStep onAccess(
      String mac, int family, TrackedClient state, Access access, long changedAtUnixNanos) {
    if (state == null || state.version() == 0) {
      return RegistrationStep.silent(state, List.of());
    }
    Client client = messages.fold(state);
    TrackedClient now = state.told(state.version() + 1);
    Registration decision =
        registration(mac, family, now.version(), client, client, access).toBuilder()
            .setChangedAtUnixNanos(Math.max(changedAtUnixNanos, client.changedAtUnixNanos()))
            .setCause(ACCESS_CHANGED)
            .clearEventId()
            .build();
    return new RegistrationStep(now, List.of(decision), List.of(), OptionalLong.empty(), false);
  }

  /**
   * Takes a timer.
   *
   * @param state of the MAC in one family, null where there is none
   * @param nowUnixNanos event time that the stream has reached
   */
  public RegistrationStep onTimer(
      String mac, int family, TrackedClient state, Access access, long nowUnixNanos) {
    if (state == null || state.timerAtUnixNanos() > nowUnixNanos) {
      return RegistrationStep.silent(state, List.of());
    }
    Telling telling = new Telling(mac, family, access, state, messages.fold(state));
    telling.takeAll(WaitingLines.due(state, nowUnixNanos));
    telling.reach(nowUnixNanos);
    RegistrationStep step = telling.step();
    return mayForget(telling, nowUnixNanos) ? step.forgetting() : step;
  }

  private boolean mayForget(Telling telling, long nowUnixNanos) {
    return forgetAt(telling.client) <= nowUnixNanos && telling.now.waiting().isEmpty();
  }

  /** One client in one step: what it becomes, and what is told of that. */
  private final class Telling {
    private final String mac;
    private final int family;
    private final Access access;
    private final List<Registration> decisions = new ArrayList<>(1);
    private final List<Observation> observations = new ArrayList<>(3);
    private TrackedClient now;
    private Client client;

    Telling(String mac, int family, Access access, TrackedClient known, Client client) {
      this.mac = mac;
      this.family = family;
      this.access = access;
      this.now = known;
      this.client = client;
    }

    void take(DhcpMessage message) {
      now = messages.with(now, message);
      Client after = messages.fold(now);
      observations.addAll(observer.onMessage(mac, now, message, client, after));
      become(after);
    }

    void takeAll(List<DhcpMessage> lines) {
      now = lines.isEmpty() ? now : now.waitingNoMoreFor(lines);
      lines.forEach(this::take);
    }

    void reach(long unixNanos) {
      now = now.at(unixNanos);
      Client after = messages.fold(now);
      observations.addAll(observer.onTimer(mac, family, client, after));
      become(after);
    }

    private void become(Client after) {
      if (after.state() != State.STATE_UNSPECIFIED && isTransition(client, after)) {
        now = now.told(nextVersion(now, after));
        decisions.add(registration(mac, family, now.version(), client, after, access));
      }
      client = after;
    }

    RegistrationStep step() {
      return withTimer(now, client, decisions).observing(observations);
    }
  }

  private boolean isTransition(Client before, Client after) {
    return before.state() != after.state()
        || !before.ip().equals(after.ip())
        || isAnotherLease(before.lease(), after.lease());
  }

  private boolean isAnotherLease(Lease before, Lease after) {
    if (before.startedAtUnixNanos() == Lease.NEVER || after.startedAtUnixNanos() == Lease.NEVER) {
      return before.startedAtUnixNanos() != after.startedAtUnixNanos();
    }
    return Math.abs(before.startedAtUnixNanos() - after.startedAtUnixNanos()) > repeatWindowNanos;
  }

  private static long nextVersion(TrackedClient tracked, Client client) {
    return tracked.version() == 0
        ? Math.max(1, client.changedAtUnixNanos() / NANOS_PER_MILLI)
        : tracked.version() + 1;
  }

  /** One timer at a time: one that is set and comes earlier looks again. */
  private RegistrationStep withTimer(
      TrackedClient tracked, Client client, List<Registration> decisions) {
    long ends =
        client.isLeased() && client.lease().isTimed()
            ? client.lease().expiresAtUnixNanos()
            : forgetAt(client);
    long wanted =
        tracked.waiting().stream().mapToLong(DhcpMessage::timeUnixNanos).reduce(ends, Math::min);
    long set = tracked.timerAtUnixNanos();
    boolean isSet = set != Lease.NEVER && set > tracked.clockUnixNanos() && set <= wanted;
    return isSet
        ? new RegistrationStep(tracked, decisions, List.of(), OptionalLong.empty(), false)
        : new RegistrationStep(
            tracked.waitingUntil(wanted), decisions, List.of(), OptionalLong.of(wanted), false);
  }

  private long forgetAt(Client client) {
    boolean isRunning = client.isLeased() && client.lease().isTimed();
    return isRunning ? Lease.OPEN : client.heardAtUnixNanos() + forgetAfterNanos;
  }

  private static Registration registration(
      String mac, int family, long version, Client before, Client after, Access access) {
    Registration.Builder registration =
        Registration.newBuilder()
            .setMac(mac)
            .setFamily(family)
            .setVersion(version)
            .setIp(after.ip())
            .setState(after.state())
            .setAccess(access)
            .setServer(after.server())
            .setRelay(after.relay())
            .setCircuitId(after.circuitId())
            .setRemoteId(after.remoteId())
            .setHostname(after.hostname())
            .setVendorClass(after.vendorClass())
            .setFingerprint(after.fingerprint())
            .setChangedAtUnixNanos(after.changedAtUnixNanos())
            .setPreviousState(before.state())
            .setPreviousIp(before.ip())
            .setCause(after.cause())
            .setEventId(after.eventId())
            .setSite(after.site());
    if (after.isLeased() && after.lease().isTimed()) {
      registration.setLeaseExpiresAtUnixNanos(after.lease().expiresAtUnixNanos());
    }
    return registration.build();
  }
}
