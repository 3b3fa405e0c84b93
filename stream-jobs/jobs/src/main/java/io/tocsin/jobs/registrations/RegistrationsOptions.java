package io.tocsin.jobs.registrations;

import io.tocsin.correlation.registrations.findings.FindingLimits;
import io.tocsin.jobs.JobOptions;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * What the registrations job can be told on the command line; the defaults of its findings fit most
 * networks.
 */
public final class RegistrationsOptions extends JobOptions {
  private static final FindingLimits DEFAULT = FindingLimits.DEFAULT;

  @Option(
      names = "--dhcp-servers",
      paramLabel = "ADDRESS,..",
      split = ",",
      description = {
        "DHCP servers of the network: any other one is rogue (default: learned on each link",
        "from the first answers)"
      })
  private Set<String> servers = DEFAULT.trustedServers();

  @Option(
      names = "--dhcp-rebind-share",
      paramLabel = "RATIO",
      description = "rebinds among renewals that raise rebind-share (default: ${DEFAULT-VALUE})")
  private double rebindShare = DEFAULT.rebindShare();

  @Option(
      names = "--dhcp-min-rebinds",
      paramLabel = "N",
      description =
          "rebinds within a minute below which it is not judged (default: ${DEFAULT-VALUE})")
  private int minRebinds = DEFAULT.minRebinds();

  @Option(
      names = "--dhcp-wave-peak",
      paramLabel = "N",
      description = "renewals within a second that raise renewal-wave (default: ${DEFAULT-VALUE})")
  private int wavePeak = DEFAULT.wavePeak();

  @Option(
      names = "--dhcp-min-naks",
      paramLabel = "N",
      description = "refusals within a minute that raise nak-storm (default: ${DEFAULT-VALUE})")
  private int minNaks = DEFAULT.minNaks();

  @Option(
      names = "--dhcp-min-unanswered",
      paramLabel = "N",
      description = {
        "clients without an offer within a minute that raise discovers-unanswered",
        "(default: ${DEFAULT-VALUE})"
      })
  private int minUnanswered = DEFAULT.minUnanswered();

  @Option(
      names = "--dhcp-min-clients",
      paramLabel = "N",
      description = {
        "different clients that nak-storm and discovers-unanswered must concern",
        "(default: ${DEFAULT-VALUE})"
      })
  private int minClients = DEFAULT.minClients();

  @Option(
      names = "--dhcp-min-no-free-leases",
      paramLabel = "N",
      description = {
        "log lines about an empty pool within a minute that raise pool-exhausted",
        "(default: ${DEFAULT-VALUE})"
      })
  private int minNoFreeLeases = DEFAULT.minNoFreeLeases();

  @Option(
      names = "--dhcp-latency-factor",
      paramLabel = "RATIO",
      description = {
        "how many times its usual latency raises offer-latency and ack-latency",
        "(default: ${DEFAULT-VALUE})"
      })
  private double latencyFactor = DEFAULT.latencyFactor();

  @Option(
      names = "--dhcp-idle-share",
      paramLabel = "RATIO",
      description = {
        "share of the answers below which a peer raises failover-imbalance",
        "(default: ${DEFAULT-VALUE})"
      })
  private double idleShare = DEFAULT.idleShare();

  @Option(
      names = "--dhcp-moved-within-seconds",
      paramLabel = "N",
      description = {
        "an address that was free for longer goes to another MAC without ip-moved",
        "(default: ${DEFAULT-VALUE})"
      })
  private int movedWithinSeconds = DEFAULT.movedWithinSeconds();

  @Option(
      names = "--dhcp-min-moves",
      paramLabel = "N",
      description = {
        "moves of a MAC between circuits within ten minutes that raise circuit-moved",
        "(default: ${DEFAULT-VALUE})"
      })
  private int minMoves = DEFAULT.minMoves();

  /**
   * With the defaults of the command line. Clients are many, and each checkpoint on the heap writes
   * all of them; all that it bounds is what is told again after a failure.
   */
  public RegistrationsOptions() {
    super(RARE_CHECKPOINTS_SECONDS);
  }

  @Override
  protected void check() {
    requirePositive("--dhcp-rebind-share", rebindShare);
    requirePositive("--dhcp-min-rebinds", minRebinds);
    requirePositive("--dhcp-wave-peak", wavePeak);
    requirePositive("--dhcp-min-naks", minNaks);
    requirePositive("--dhcp-min-unanswered", minUnanswered);
    requirePositive("--dhcp-min-clients", minClients);
    requirePositive("--dhcp-min-no-free-leases", minNoFreeLeases);
    requirePositive("--dhcp-latency-factor", latencyFactor);
    requirePositive("--dhcp-idle-share", idleShare);
    requirePositive("--dhcp-moved-within-seconds", movedWithinSeconds);
    requirePositive("--dhcp-min-moves", minMoves);
  }

  private static void requirePositive(String option, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(option + " is " + value + ": give more than 0");
    }
  }

  /** What the findings compare with. */
  public FindingLimits limits() {
    return new FindingLimits(
        rebindShare,
        minRebinds,
        wavePeak,
        DEFAULT.waveFactor(),
        minNaks,
        DEFAULT.nakShare(),
        minClients,
        minUnanswered,
        minNoFreeLeases,
        latencyFactor,
        DEFAULT.minLatencySamples(),
        idleShare,
        DEFAULT.minPeerAnswers(),
        DEFAULT.establishedAnswers(),
        Set.copyOf(servers),
        movedWithinSeconds,
        minMoves);
  }
}
