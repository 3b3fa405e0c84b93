package io.tocsin.rules.replay;

import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.UpdateExpiry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * What the alerts job can be told of the life of alerts. A replay takes the same, with the same
 * defaults: it is told what the job was told.
 */
public final class AlertPathOptions {
  @Option(
      names = "--refresh-interval-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "at most one 'refreshed' transition of an alert in so much event time (default: ${DEFAULT-VALUE})")
  private long refreshIntervalSeconds;

  @Option(
      names = "--update-expiry-hours",
      paramLabel = "N",
      defaultValue = "168",
      description =
          "an alert of a monitor expires when so long nothing refreshes it (default: ${DEFAULT-VALUE})")
  private long updateExpiryHours;

  @Option(
      names = "--update-expiry-hours-of",
      paramLabel = "SOURCE=N",
      split = ",",
      description = "the same for the alerts of some sources, for example hyak=2,zabbix=24")
  private Map<String, Long> updateExpiryHoursOf = Map.of();

  @Option(
      names = "--max-alerts-per-source",
      paramLabel = "N",
      defaultValue = "100000",
      description = {
        "so many alerts the updates of one source may make, those that ended within a day included; new",
        "ones beyond about that number are refused and told as source-limit. All sources together, made",
        "up ones too, may make 16 times as many (default: ${DEFAULT-VALUE})"
      })
  private int maxAlertsPerSource;

  @Option(
      names = "--storm-opens",
      paramLabel = "N",
      defaultValue = "25",
      description =
          "more alerts than that, opened in a window by one source, site or check, are a storm (default: ${DEFAULT-VALUE})")
  private int stormOpens;

  @Option(
      names = "--storm-window-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "that window (default: ${DEFAULT-VALUE})")
  private long stormWindowSeconds;

  @Option(
      names = "--flapping-opens",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "an alert that opens so often in a window flaps; it is calm at half as many (default: ${DEFAULT-VALUE})")
  private int flappingOpens;

  @Option(
      names = "--flapping-window-seconds",
      paramLabel = "N",
      defaultValue = "600",
      description = "that window (default: ${DEFAULT-VALUE})")
  private long flappingWindowSeconds;

  @Option(
      names = "--max-clock-deviation-seconds",
      paramLabel = "N",
      defaultValue = "300",
      description = {
        "how far a device's clock may be behind the agents'; what it says by one that is further",
        "behind happened when it was received (default: ${DEFAULT-VALUE})"
      })
  private long maxClockDeviationSeconds;

  /**
   * What was said.
   *
   * @throws IllegalArgumentException naming the option that makes no sense
   */
  public AlertPath.Settings settings() {
    check();
    Duration refreshInterval = Duration.ofSeconds(refreshIntervalSeconds);
    Map<String, Duration> expiryOf = new HashMap<>();
    updateExpiryHoursOf.forEach((source, hours) -> expiryOf.put(source, Duration.ofHours(hours)));
    return new AlertPath.Settings(
        new AlertTiming(
            refreshInterval,
            AlertTiming.DEFAULT.forgetAfter(),
            flappingOpens,
            Duration.ofSeconds(flappingWindowSeconds),
            Duration.ofSeconds(maxClockDeviationSeconds)),
        new UpdateExpiry(Duration.ofHours(updateExpiryHours), expiryOf),
        maxAlertsPerSource,
        new StormLimits(stormOpens, Duration.ofSeconds(stormWindowSeconds), refreshInterval));
  }

  private void check() {
    requireAtLeast("--refresh-interval-seconds", refreshIntervalSeconds, 1);
    requireAtLeast("--update-expiry-hours", updateExpiryHours, 1);
    updateExpiryHoursOf.forEach(
        (source, hours) -> requireAtLeast("--update-expiry-hours-of " + source, hours, 1));
    requireAtLeast("--max-alerts-per-source", maxAlertsPerSource, 1);
    requireAtLeast("--storm-opens", stormOpens, 1);
    requireAtLeast("--storm-window-seconds", stormWindowSeconds, 1);
    requireAtLeast("--flapping-opens", flappingOpens, 2);
    requireAtLeast("--flapping-window-seconds", flappingWindowSeconds, 1);
    requireAtLeast("--max-clock-deviation-seconds", maxClockDeviationSeconds, 1);
  }

  private static void requireAtLeast(String option, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(option + " is " + value + ": give at least " + least);
    }
  }
}
