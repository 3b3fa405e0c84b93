package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.LongestUnheard;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The servers of one link, as the wire shows them.
 *
 * <p>{@code rogue-server}: a server that nobody knew answers on a link whose servers are known,
 * because they are configured or have answered often enough. Peers that have shared the work from
 * the start are both known. One that goes on for a day is taken for wanted. A link has room for
 * {@link #MOST_SERVERS} servers; where nobody can go, those that come are told as one, {@link
 * #OTHERS}.
 *
 * <p>{@code failover-imbalance}: of peers that used to share the work one hardly answers any more.
 */
public final class PeerRules implements FindingRules<Observation, PeerRules.Peers> {
  private static final int SLICES = 30;
  private static final long SLICE_NANOS = 10 * Nanos.PER_SECOND;
  private static final long CALM_NANOS = 600 * Nanos.PER_SECOND;
  private static final long LEARN_NANOS = 86_400 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * Nanos.PER_SECOND;
  private static final int MOST_SERVERS = 16;

  /** Stands for all servers for which there is no room. */
  private static final String OTHERS = "others";

  private static final double PEER_SHARE = 0.25;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public PeerRules(FindingLimits limits) {
    this.limits = limits;
  }

  /** The servers of a link; kept for a week of silence. */
  public static final class Peers extends TimedState {
    /** Relay, or local. */
    public String link = "";

    /** Configured place. */
    public String site = "";

    /** Servers by address; at most 16, the configured ones and {@code others}. */
    public Map<String, Server> servers = new HashMap<>();

    /** Newest answer of any. */
    public long newestUnixNanos;

    /** None. */
    public Peers() {}
  }

  /** One server of a link. */
  public static final class Server {
    /** Offers and acknowledgements so far. */
    public long answers;

    /** Acknowledgements lately. */
    public Window served = new Window(SLICES, SLICE_NANOS);

    /** Acknowledgements so far. */
    public long servedTotal;

    /** First answer. */
    public long firstUnixNanos;

    /** Newest answer. */
    public long newestUnixNanos;

    /** Whether the link's servers were known when it came. */
    public boolean isStranger;

    /** Address that it offered last. */
    public String offeredIp = "";

    /** Client that it answered last. */
    public String client = "";

    /** State of the finding. */
    public Condition rogue = new Condition();

    /** State of the finding. */
    public Condition idle = new Condition();

    /** Before its first answer. */
    public Server() {}
  }

  @Override
  public boolean concerns(Observation seen) {
    return (seen.kind() == Kind.OFFERED || seen.kind() == Kind.SERVED) && !seen.server().isEmpty();
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.family() + "|" + seen.link();
  }

  @Override
  public Step<Peers, Event> onInput(Peers known, Observation seen) {
    long time = seen.timeUnixNanos();
    Peers peers = known == null ? first(seen) : known;
    int before = peers.servers.size();
    boolean isNew = !peers.servers.containsKey(seen.server());
    boolean isTrusted = limits.trustedServers().contains(seen.server());
    boolean hasRoom = !isNew || isTrusted || hasRoom(peers, time);
    int evicted = before - peers.servers.size();
    String name = hasRoom ? seen.server() : OTHERS;
    Server server = peers.servers.computeIfAbsent(name, key -> newServer(peers, key, time));
    answered(server, seen);
    peers.newestUnixNanos = Math.max(peers.newestUnixNanos, time);
    Step<Peers, Event> step = judge(peers, peers.newestUnixNanos);
    return new Step<>(peers, step.decisions(), step.nextTimerUnixNanos(), hasRoom ? evicted : 1);
  }

  /**
   * Makes room where there is none. A stranger that is silent again goes first, then a known server
   * that nobody needed for a day; none of which people are told just now.
   */
  private static boolean hasRoom(Peers peers, long now) {
    if (peers.servers.size() < MOST_SERVERS) {
      return true;
    }
    Predicate<Server> isCalm = server -> !server.rogue.isRaised && !server.idle.isRaised;
    Predicate<Server> isUnused = server -> now - server.newestUnixNanos >= LEARN_NANOS;
    Optional<String> name =
        LongestUnheard.in(
                peers.servers, PeerRules::heardAt, isCalm.and(server -> server.isStranger))
            .or(() -> LongestUnheard.in(peers.servers, PeerRules::heardAt, isCalm.and(isUnused)));
    name.ifPresent(peers.servers::remove);
    return name.isPresent();
  }

  private static long heardAt(Server server) {
    return server.newestUnixNanos;
  }

  private Server newServer(Peers peers, String name, long time) {
    Server server = new Server();
    server.firstUnixNanos = time;
    server.newestUnixNanos = time;
    server.isStranger = isStranger(peers, name);
    return server;
  }

  private static Peers first(Observation seen) {
    Peers peers = new Peers();
    peers.link = seen.link();
    peers.site = seen.site();
    return peers;
  }

  private boolean isStranger(Peers peers, String name) {
    long established = peers.servers.values().stream().mapToLong(other -> other.answers).sum();
    return !limits.trustedServers().contains(name)
        && (!limits.trustedServers().isEmpty() || established >= limits.establishedAnswers());
  }

  private static void answered(Server server, Observation seen) {
    server.answers++;
    if (seen.kind() == Kind.SERVED) {
      server.served.add(seen.timeUnixNanos());
      server.servedTotal++;
    }
    server.newestUnixNanos = Math.max(server.newestUnixNanos, seen.timeUnixNanos());
    server.offeredIp = seen.ip().isEmpty() ? server.offeredIp : seen.ip();
    server.client = seen.mac();
  }

  @Override
  public Step<Peers, Event> onTimer(Peers peers, long now) {
    return now - peers.newestUnixNanos >= FORGET_NANOS ? Step.forget(List.of()) : judge(peers, now);
  }

  private Step<Peers, Event> judge(Peers peers, long now) {
    List<Event> decisions = new ArrayList<>();
    peers.servers.values().forEach(server -> server.served.slideTo(now));
    long served = peers.servers.values().stream().mapToLong(server -> server.served.sum()).sum();
    long total = peers.servers.values().stream().mapToLong(server -> server.servedTotal).sum();
    peers.servers.forEach(
        (name, server) -> {
          server.rogue.follow(
              isRogue(server, now), now, CALM_NANOS, () -> rogue(peers, name), decisions);
          server.idle.follow(
              isIdle(server, served, total),
              now,
              0,
              () -> idle(peers, name, served, total),
              decisions);
        });
    boolean isBusy = served > 0;
    for (Server server : peers.servers.values()) {
      server.isStranger &= !isWanted(server);
      isBusy |= server.rogue.isRaised || server.idle.isRaised;
    }
    decisions.sort(Comparator.comparing(Event::getEventId));
    return new Step<>(
        peers, decisions, isBusy ? now + SLICE_NANOS : peers.newestUnixNanos + FORGET_NANOS);
  }

  private static boolean isRogue(Server server, long now) {
    return server.isStranger && !isWanted(server) && now - server.newestUnixNanos < SLICE_NANOS;
  }

  private static boolean isWanted(Server server) {
    return server.newestUnixNanos - server.firstUnixNanos >= LEARN_NANOS;
  }

  /** Judged by what others did meanwhile: at night nobody answers, and nobody is out of balance. */
  private boolean isIdle(Server server, long served, long servedTotal) {
    boolean isPeer =
        !server.isStranger
            && servedTotal - served >= limits.minPeerAnswers()
            && server.servedTotal - server.served.sum() >= PEER_SHARE * (servedTotal - served);
    return isPeer
        && served >= limits.minPeerAnswers()
        && server.served.sum() < limits.idleShare() * served;
  }

  private static Finding labelled(Finding finding, Peers peers, String name) {
    return finding.label("server", name).identity("scope", peers.link).label("relay", peers.link);
  }

  private static Finding rogue(Peers peers, String name) {
    Server server = peers.servers.get(name);
    String who = name.equals(OTHERS) ? "one of more than " + MOST_SERVERS + " servers" : name;
    Finding finding =
        Finding.of(
            Finding.REGISTRATIONS_JOB,
            "rogue-server",
            Severity.SEVERITY_CRITICAL,
            name.equals(OTHERS) ? peers.link : name,
            peers.site);
    return labelled(finding, peers, name)
        .summary(
            "%s answers clients via %s and is none of the servers known there", who, peers.link)
        .label("answers", server.answers)
        .label("offered_ip", server.offeredIp)
        .label("client", server.client)
        .label("known_servers", names(peers, name));
  }

  private static String names(Peers peers, String without) {
    return String.join(
        ",",
        peers.servers.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(without) && !entry.getValue().isStranger)
            .map(Map.Entry::getKey)
            .sorted()
            .toList());
  }

  private static Finding idle(Peers peers, String name, long served, long servedTotal) {
    Server server = peers.servers.get(name);
    long recent = server.served.sum();
    Finding finding =
        Finding.of(
            Finding.REGISTRATIONS_JOB,
            "failover-imbalance",
            Severity.SEVERITY_MAJOR,
            name,
            peers.site);
    return labelled(finding, peers, name)
        .summary(
            "%s gave %d of the last %d leases via %s; its peers do its work",
            name, recent, served, peers.link)
        .label("acks", recent)
        .label("acks_of_all", served)
        .label("share", (double) recent / Math.max(1, served))
        .label(
            "usual_share",
            (double) (server.servedTotal - recent) / Math.max(1, servedTotal - served))
        .label("peers", names(peers, name));
  }
}
