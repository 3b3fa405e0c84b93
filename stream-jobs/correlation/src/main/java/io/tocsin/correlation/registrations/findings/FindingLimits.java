package io.tocsin.correlation.registrations.findings;

import java.io.Serializable;
import java.util.Set;

/**
 * What the rules compare with. Counts are within the last minute unless it says otherwise.
 *
 * @param rebindShare rebinds among renewals at which a server is taken not to answer; it must also
 *     be three times the usual share
 * @param minRebinds fewer say nothing
 * @param wavePeak renewals within one second that make a wave
 * @param waveFactor how far the peak must stand above the mean of the minute
 * @param minNaks fewer make no storm
 * @param nakShare refusals among answers
 * @param minClients clients that must be concerned, so that one broken client is no storm
 * @param minUnanswered clients that looked in vain
 * @param minNoFreeLeases log lines about an empty pool
 * @param latencyFactor how far a server must be above its own usual latency
 * @param minLatencySamples answers within 20 s
 * @param idleShare share of the answers below which a peer that used to answer is out of balance
 * @param minPeerAnswers answers within five minutes
 * @param establishedAnswers answers after which a link's servers are known and another is rogue
 * @param trustedServers never rogue; where there are any, all others are
 * @param movedWithinSeconds an address that was free for longer moves without a word
 * @param minMoves moves of a MAC between circuits within ten minutes
 */
public record FindingLimits(
    double rebindShare,
    int minRebinds,
    int wavePeak,
    double waveFactor,
    int minNaks,
    double nakShare,
    int minClients,
    int minUnanswered,
    int minNoFreeLeases,
    double latencyFactor,
    int minLatencySamples,
    double idleShare,
    int minPeerAnswers,
    int establishedAnswers,
    Set<String> trustedServers,
    int movedWithinSeconds,
    int minMoves)
    implements Serializable {

  /** What most networks can start with. */
  public static final FindingLimits DEFAULT =
      new FindingLimits(0.05, 10, 50, 10, 20, 0.3, 5, 10, 3, 4, 30, 0.1, 100, 10, Set.of(), 300, 1);
}
