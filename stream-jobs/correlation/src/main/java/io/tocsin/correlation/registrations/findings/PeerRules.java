package io.tocsin.correlation.registrations.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.correlation.registrations.findings.Condition.Word;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The servers of one link, as the wire shows them.
 *
 * <p>{@code rogue_server}: a server that nobody knew answers on a link whose servers are known,
 * because they are configured or have answered often enough. Peers that have shared the work from
 * the start are both known. One that goes on for a day is taken for wanted.
 *
 * <p>{@code failover_imbalance}: of peers that used to share the work one hardly answers any more.
 */
public final class PeerRules implements FindingRules<PeerRules.Peers> {
  private static final long SECOND = 1_000_000_000L;
  private static final int SLICES = 30;
  private static final long SLICE_NANOS = 10 * SECOND;
  private static final long CALM_NANOS = 600 * SECOND;
  private static final long LEARN_NANOS = 86_400 * SECOND;
  private static final long FORGET_NANOS = 7 * 86_400 * SECOND;
  private static final int MOST_SERVERS = 16;
  private static final double PEER_SHARE = 0.25;

  private final FindingLimits limits;

  /** Rules with their limits. */
  public PeerRules(FindingLimits limits) {
    this.limits = limits;
  }

  /**
   * The servers of a link; kept for a week of silence.
   *
   * @param link relay, or local
   * @param site configured place
   * @param servers by address; at most 16
   * @param newestUnixNanos newest answer of any
   */
  public record Peers(
      String link, String site, Map<String, Server> servers, long newestUnixNanos) {}

  /**
   * One server of a link.
   *
   * @param answers offers and acknowledgements so far
   * @param served acknowledgements lately
   * @param servedTotal acknowledgements so far
   * @param firstUnixNanos first answer
   * @param newestUnixNanos newest answer
   * @param isStranger whether the link's servers were known when it came
   * @param offeredIp address that it offered last
   * @param client that it answered last
   * @param rogue state of the finding
   * @param idle state of the finding
   */
  public record Server(
      long answers,
      Window served,
      long servedTotal,
      long firstUnixNanos,
      long newestUnixNanos,
      boolean isStranger,
      String offeredIp,
      String client,
      Condition rogue,
      Condition idle) {}

  @Override
  public boolean concerns(Observation seen) {
    return (seen.kind() == Kind.OFFERED || seen.kind() == Kind.SERVED) && !seen.server().isEmpty();
  }

  @Override
  public String keyOf(Observation seen) {
    return seen.site() + "|" + seen.family() + "|" + seen.link();
  }

  @Override
  public FindingStep<Peers> onObservation(Peers known, Observation seen, Complaints complaints) {
    long time = seen.timeUnixNanos();
    Peers before = known == null ? new Peers(seen.link(), seen.site(), Map.of(), time) : known;
    boolean isKnown = before.servers.containsKey(seen.server());
    if (!isKnown && before.servers.size() >= MOST_SERVERS) {
      return FindingStep.of(before, List.of(), time + SLICE_NANOS);
    }
    Map<String, Server> servers = new HashMap<>(before.servers);
    servers.merge(seen.server(), first(before, seen), (server, fresh) -> answered(server, seen));
    long newest = Math.max(before.newestUnixNanos, time);
    return judge(new Peers(before.link, before.site, servers, newest), newest);
  }

  private Server first(Peers peers, Observation seen) {
    long time = seen.timeUnixNanos();
    long established = peers.servers.values().stream().mapToLong(Server::answers).sum();
    boolean isTrusted = limits.trustedServers().contains(seen.server());
    boolean isStranger =
        !isTrusted
            && (!limits.trustedServers().isEmpty() || established >= limits.establishedAnswers());
    Server none =
        new Server(
            0,
            Window.of(SLICES, SLICE_NANOS),
            0,
            time,
            time,
            isStranger,
            "",
            "",
            Condition.CALM,
            Condition.CALM);
    return answered(none, seen);
  }

  private static Server answered(Server server, Observation seen) {
    long time = seen.timeUnixNanos();
    boolean isServed = seen.kind() == Kind.SERVED;
    return new Server(
        server.answers + 1,
        isServed ? server.served.plus(time) : server.served.at(time),
        server.servedTotal + (isServed ? 1 : 0),
        server.firstUnixNanos,
        Math.max(server.newestUnixNanos, time),
        server.isStranger,
        seen.ip().isEmpty() ? server.offeredIp : seen.ip(),
        seen.mac(),
        server.rogue,
        server.idle);
  }

  @Override
  public FindingStep<Peers> onTimer(Peers known, long now, Complaints complaints) {
    if (known == null || now - known.newestUnixNanos >= FORGET_NANOS) {
      return FindingStep.forget(List.of());
    }
    return judge(known, now);
  }

  private FindingStep<Peers> judge(Peers known, long now) {
    List<Event> findings = new ArrayList<>();
    Map<String, Server> servers = new HashMap<>();
    long served = 0;
    long servedTotal = 0;
    for (Server server : known.servers.values()) {
      served += server.served.at(now).sum();
      servedTotal += server.servedTotal;
    }
    boolean isBusy = served > 0;
    for (Map.Entry<String, Server> entry : known.servers.entrySet()) {
      String name = entry.getKey();
      Server server = entry.getValue();
      boolean isRogue = isRogue(server, now);
      boolean isIdle = isIdle(server, served, servedTotal, now);
      Word rogueWord = server.rogue.word(isRogue, now, CALM_NANOS);
      Word idleWord = server.idle.word(isIdle, now, 0);
      if (rogueWord != Word.NOTHING) {
        findings.add(rogue(known, name, server).event(rogueWord, now));
      }
      if (idleWord != Word.NOTHING) {
        findings.add(idle(known, name, server, served, servedTotal, now).event(idleWord, now));
      }
      Server next =
          new Server(
              server.answers,
              server.served.at(now),
              server.servedTotal,
              server.firstUnixNanos,
              server.newestUnixNanos,
              server.isStranger && !isWanted(server),
              server.offeredIp,
              server.client,
              server.rogue.after(rogueWord, isRogue, now),
              server.idle.after(idleWord, isIdle, now));
      isBusy |= next.rogue.isRaised() || next.idle.isRaised();
      servers.put(name, next);
    }
    findings.sort(Comparator.comparing(Event::getEventId));
    return FindingStep.of(
        new Peers(known.link, known.site, servers, known.newestUnixNanos),
        findings,
        isBusy ? now + SLICE_NANOS : known.newestUnixNanos + FORGET_NANOS);
  }

  private static boolean isRogue(Server server, long now) {
    return server.isStranger && !isWanted(server) && now - server.newestUnixNanos < SLICE_NANOS;
  }

  private static boolean isWanted(Server server) {
    return server.newestUnixNanos - server.firstUnixNanos >= LEARN_NANOS;
  }

  /** Judged by what others did meanwhile: at night nobody answers, and nobody is out of balance. */
  private boolean isIdle(Server server, long served, long servedTotal, long now) {
    boolean isPeer =
        !server.isStranger
            && servedTotal - served >= limits.minPeerAnswers()
            && server.servedTotal - server.served.at(now).sum()
                >= PEER_SHARE * (servedTotal - served);
    return isPeer
        && served >= limits.minPeerAnswers()
        && server.served.at(now).sum() < limits.idleShare() * served;
  }

  private static Finding rogue(Peers known, String name, Server server) {
    return Finding.of(
            "rogue_server",
            Severity.SEVERITY_CRITICAL,
            Finding.subject(name, known.link),
            known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%s answers clients via %s and is none of the servers known there",
                name,
                known.link))
        .label("server", name)
        .label("scope", known.link)
        .label("relay", known.link)
        .label("answers", server.answers)
        .label("offered_ip", server.offeredIp)
        .label("client", server.client)
        .label("known_servers", names(known, name));
  }

  private static String names(Peers known, String without) {
    return String.join(
        ",",
        known.servers.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(without) && !entry.getValue().isStranger)
            .map(Map.Entry::getKey)
            .sorted()
            .toList());
  }

  private static Finding idle(
      Peers known, String name, Server server, long served, long servedTotal, long now) {
    long recent = server.served.at(now).sum();
    return Finding.of(
            "failover_imbalance",
            Severity.SEVERITY_MAJOR,
            Finding.subject(name, known.link),
            known.site)
        .summary(
            String.format(
                Locale.ROOT,
                "%s gave %d of the last %d leases via %s; its peers do its work",
                name,
                recent,
                served,
                known.link))
        .label("server", name)
        .label("scope", known.link)
        .label("relay", known.link)
        .label("acks", recent)
        .label("acks_of_all", served)
        .label("share", (double) recent / Math.max(1, served))
        .label(
            "usual_share",
            (double) (server.servedTotal - recent) / Math.max(1, servedTotal - served))
        .label("peers", names(known, name));
  }
}
