package io.tocsin.rules.command;

import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.rules.replay.AlertPath;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** What the alerts job was told on its command line: a replay must be told the same. */
final class AlertsJobOptions {
  private static final String AS_THE_JOB = "as the alerts job has it (default: ${DEFAULT-VALUE})";

  @Option(
      names = "--refresh-interval-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = AS_THE_JOB)
  private long refreshIntervalSeconds;

  @Option(
      names = "--update-expiry-hours",
      paramLabel = "N",
      defaultValue = "168",
      description = AS_THE_JOB)
  private long updateExpiryHours;

  @Option(
      names = "--update-expiry-hours-of",
      paramLabel = "SOURCE=N",
      split = ",",
      description = "as the alerts job has it")
  private Map<String, Long> updateExpiryHoursOf = Map.of();

  @Option(
      names = "--max-alerts-per-source",
      paramLabel = "N",
      defaultValue = "100000",
      description = AS_THE_JOB)
  private int maxAlertsPerSource;

  @Option(names = "--storm-opens", paramLabel = "N", defaultValue = "25", description = AS_THE_JOB)
  private int stormOpens;

  @Option(
      names = "--storm-window-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = AS_THE_JOB)
  private long stormWindowSeconds;

  @Option(
      names = "--flapping-opens",
      paramLabel = "N",
      defaultValue = "5",
      description = AS_THE_JOB)
  private int flappingOpens;

  @Option(
      names = "--flapping-window-seconds",
      paramLabel = "N",
      defaultValue = "600",
      description = AS_THE_JOB)
  private long flappingWindowSeconds;

  @Option(
      names = "--max-clock-deviation-seconds",
      paramLabel = "N",
      defaultValue = "300",
      description = AS_THE_JOB)
  private long maxClockDeviationSeconds;

  AlertPath.Settings settings() {
    Duration refresh = Duration.ofSeconds(refreshIntervalSeconds);
    Map<String, Duration> expiryOf = new HashMap<>();
    updateExpiryHoursOf.forEach((source, hours) -> expiryOf.put(source, Duration.ofHours(hours)));
    try {
      return new AlertPath.Settings(
          new AlertTiming(
              refresh,
              AlertTiming.DEFAULT.forgetAfter(),
              flappingOpens,
              Duration.ofSeconds(flappingWindowSeconds),
              Duration.ofSeconds(maxClockDeviationSeconds)),
          new UpdateExpiry(Duration.ofHours(updateExpiryHours), expiryOf),
          maxAlertsPerSource,
          new StormLimits(stormOpens, Duration.ofSeconds(stormWindowSeconds), refresh));
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(e.getMessage(), "give what the alerts job was started with");
    }
  }
}
