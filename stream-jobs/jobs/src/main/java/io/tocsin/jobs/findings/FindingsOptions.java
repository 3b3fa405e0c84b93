package io.tocsin.jobs.findings;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.tocsin.correlation.findings.AgentSilentRules;
import io.tocsin.correlation.findings.ClockRules;
import io.tocsin.correlation.findings.ConnectionLimitRules;
import io.tocsin.correlation.findings.ResolverRules;
import io.tocsin.correlation.findings.StorageSlowRules;
import io.tocsin.jobs.JobOptions;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What the findings job can be told on the command line. */
public final class FindingsOptions extends JobOptions {
  private static final double CLEARED_BELOW = 0.9;

  @Option(
      names = "--connection-gauges",
      paramLabel = "REGEX",
      defaultValue = "conn|session",
      description = "names of the gauges that are connection tables (default: ${DEFAULT-VALUE})")
  private String connectionGauges;

  @Option(
      names = "--connection-limit-ratio",
      paramLabel = "SHARE",
      defaultValue = "0.9",
      description = {
        "share of its limit from which on a connection table is told as connection-limit; cleared a tenth",
        "below it (default: ${DEFAULT-VALUE})"
      })
  private double connectionLimitRatio;

  @Option(
      names = "--disconnect-pattern",
      paramLabel = "REGEX",
      defaultValue =
          "disconnected|connection reset|aged out|teardown tcp .*timeout|teardown tcp .*reset",
      description = {
        "syslog messages that are a cut connection; one that ended as it should is none (default:",
        "${DEFAULT-VALUE})"
      })
  private String disconnectPattern;

  @Option(
      names = "--disconnect-burst",
      paramLabel = "N",
      defaultValue = "10",
      description = "disconnects within a minute that are a burst (default: ${DEFAULT-VALUE})")
  private int disconnectBurst;

  @Option(
      names = "--agents-removed-after-hours",
      paramLabel = "N",
      defaultValue = "168",
      description =
          "silence after which an agent is taken as removed and agent-silent ends (default: ${DEFAULT-VALUE})")
  private long agentsRemovedAfterHours;

  @Option(
      names = "--max-clock-deviation-seconds",
      paramLabel = "N",
      defaultValue = "300",
      description =
          "how far a device's clock may be from its agent's before it is told as clock-wrong (default: ${DEFAULT-VALUE})")
  private long maxClockDeviationSeconds;

  @Option(
      names = "--processor-gauges",
      paramLabel = "REGEX",
      defaultValue = "^cpu_(busy|user|system)$",
      description = {
        "names of the gauges that are shares of the processors' time in percent; several names are added up,",
        "several instances of one averaged (default: ${DEFAULT-VALUE})"
      })
  private String processorGauges;

  @Option(
      names = "--disk-busy-percent",
      paramLabel = "PERCENT",
      defaultValue = "90",
      description = {
        "utilization from which on a disk is told as storage-slow, while the processors idle; cleared below three",
        "quarters of it (default: ${DEFAULT-VALUE})"
      })
  private double diskBusyPercent;

  @Option(
      names = "--disk-wait-ms",
      paramLabel = "MS",
      defaultValue = "20",
      description =
          "how long requests of a slow disk take at least, where that is told (default: ${DEFAULT-VALUE})")
  private double diskWaitMs;

  @Option(
      names = "--processor-idle-percent",
      paramLabel = "PERCENT",
      defaultValue = "50",
      description =
          "processors that are busy no more than this are idle while a disk is busy (default: ${DEFAULT-VALUE})")
  private double processorIdlePercent;

  @Option(
      names = "--resolver-disagrees-answers",
      paramLabel = "N",
      defaultValue = "10",
      description = {
        "answers in a row in which a resolver differs from its group before it is told as resolver-disagrees; one that",
        "it may keep for longer is waited for (default: ${DEFAULT-VALUE})"
      })
  private int resolverDisagreesAnswers;

  @Option(
      names = "--resolver-slow-ms",
      paramLabel = "MS",
      defaultValue = "200",
      description = {
        "median of its newest answers from which on a resolver is told as resolver-slow; cleared below half of it",
        "(default: ${DEFAULT-VALUE})"
      })
  private double resolverSlowMs;

  /** With the defaults of the command line. */
  public FindingsOptions() {
    super(RARE_CHECKPOINTS_SECONDS);
  }

  @Override
  protected void check() {
    requireAtLeast("--resolver-disagrees-answers", resolverDisagreesAnswers, 1);
    if (!(resolverSlowMs > 0)) {
      throw new IllegalArgumentException(
          "--resolver-slow-ms is " + resolverSlowMs + ": give more than 0");
    }
    requireAtLeast("--max-clock-deviation-seconds", maxClockDeviationSeconds, 1);
    requireAtLeast("--agents-removed-after-hours", agentsRemovedAfterHours, 1);
    requireAtLeast("--disconnect-burst", disconnectBurst, 1);
    if (!(connectionLimitRatio > 0 && connectionLimitRatio <= 1)) {
      throw new IllegalArgumentException(
          "--connection-limit-ratio is " + connectionLimitRatio + ": give more than 0, at most 1");
    }
    requirePattern("--connection-gauges", connectionGauges);
    requirePattern("--disconnect-pattern", disconnectPattern);
    requirePattern("--processor-gauges", processorGauges);
    requirePercent("--disk-busy-percent", diskBusyPercent);
    requirePercent("--processor-idle-percent", processorIdlePercent);
    if (!(diskWaitMs >= 0)) {
      throw new IllegalArgumentException("--disk-wait-ms is " + diskWaitMs + ": give 0 or more");
    }
  }

  private static void requirePercent(String option, double percent) {
    if (!(percent > 0 && percent <= 100)) {
      throw new IllegalArgumentException(
          option + " is " + percent + ": give more than 0, at most 100");
    }
  }

  private static void requirePattern(String option, String regex) {
    try {
      Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(option + " is no RE2 expression: " + e.getMessage(), e);
    }
  }

  /** Rules of finding agent-silent. */
  public AgentSilentRules agentSilent() {
    return new AgentSilentRules(Duration.ofHours(agentsRemovedAfterHours));
  }

  /** Rules of finding clock-wrong. */
  public ClockRules clocks() {
    return new ClockRules(Duration.ofSeconds(maxClockDeviationSeconds));
  }

  /** Rules of finding connection-limit. */
  public ConnectionLimitRules connectionLimit() {
    return new ConnectionLimitRules(
        connectionGauges,
        connectionLimitRatio,
        CLEARED_BELOW * connectionLimitRatio,
        disconnectBurst,
        disconnectPattern);
  }

  /** Rules of finding storage-slow. */
  public StorageSlowRules storageSlow() {
    return new StorageSlowRules(
        processorGauges,
        new StorageSlowRules.Limits(diskBusyPercent, diskWaitMs, processorIdlePercent));
  }

  /** Rules of the findings about resolvers. */
  public ResolverRules resolvers() {
    return new ResolverRules(resolverDisagreesAnswers, resolverSlowMs);
  }
}
