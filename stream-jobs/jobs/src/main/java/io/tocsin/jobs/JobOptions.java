package io.tocsin.jobs;

import io.tocsin.connectors.alertmanager.PageLinks;
import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.jobs.findings.FindingOptions;
import io.tocsin.jobs.registrations.RegistrationOptions;
import io.tocsin.jobs.wan.WanOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * What the jobs can be told on the command line. All jobs take the same options, so that one file
 * of arguments serves an installation; each uses those that concern it. An unknown option refuses
 * to start.
 *
 * <p>What belongs to Flink (parallelism, state backend, restart strategy, where checkpoints are
 * kept) is Flink's configuration and deliberately no option here.
 */
@Command(
    sortOptions = false,
    usageHelpAutoWidth = true,
    description =
        "One of Tocsin's stream jobs. Flink's own settings come from Flink's configuration.")
public final class JobOptions {
  /** Much longer than any clear can be late. */
  private static final Duration FORGET_ALERTS_AFTER = Duration.ofHours(24);

  @Option(
      names = "--kafka-bootstrap-servers",
      paramLabel = "HOST:PORT,..",
      defaultValue = "127.0.0.1:9092",
      description = "Kafka brokers to ask first (default: ${DEFAULT-VALUE})")
  private String kafkaBootstrapServers;

  @Option(
      names = "--clickhouse-url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8123",
      description = "ClickHouse's HTTP interface (default: ${DEFAULT-VALUE})")
  private String clickHouseUrl;

  @Option(
      names = "--clickhouse-user",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "who inserts into database tocsin (default: ${DEFAULT-VALUE})")
  private String clickHouseUser;

  @Option(
      names = "--clickhouse-password-file",
      paramLabel = "FILE",
      description = "file whose first line is the password (default: no password)")
  private Path clickHousePasswordFile;

  @Option(
      names = "--alertmanager-urls",
      paramLabel = "URL,..",
      split = ",",
      defaultValue = "http://127.0.0.1:9093",
      description =
          "every Alertmanager of the cluster, not a load balancer before it (default: ${DEFAULT-VALUE})")
  private List<String> alertmanagerUrls;

  @Option(
      names = "--checkpoint-interval-seconds",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "how often rows become visible in ClickHouse, where Flink's configuration sets no",
        "execution.checkpointing.interval (default: ${DEFAULT-VALUE})"
      })
  private long checkpointIntervalSeconds;

  @Option(
      names = "--refresh-interval-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "at most one 'refreshed' transition of an alert in so much event time (default: ${DEFAULT-VALUE})")
  private long refreshIntervalSeconds;

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
      names = "--resend-interval-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = {
        "how often an open alert is told to Alertmanager again; it expires there after four",
        "intervals of silence (default: ${DEFAULT-VALUE})"
      })
  private long resendIntervalSeconds;

  @Mixin private RegistrationOptions registrations = new RegistrationOptions();

  @Mixin private FindingOptions findings = new FindingOptions();

  @Mixin private WanOptions wan = new WanOptions();

  @Option(
      names = "--grafana-url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:3000",
      description =
          "Grafana as people on call reach it: pages link to it (default: ${DEFAULT-VALUE})")
  private String grafanaUrl;

  @Option(
      names = "--runbooks-url",
      paramLabel = "URL",
      defaultValue = "grafana/runbooks",
      description =
          "folder of the runbooks as people on call reach it (default: ${DEFAULT-VALUE} of the checkout)")
  private String runbooksUrl;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "print this and exit")
  private boolean helpRequested;

  private JobOptions() {}

  /**
   * Reads a command line.
   *
   * @param program name for the usage text
   * @return the options, or nothing where help was asked for and has been printed
   * @throws IllegalArgumentException naming the option that is unknown or wrong, with the usage
   *     text
   */
  public static Optional<JobOptions> parse(String program, String... args) {
    JobOptions options = new JobOptions();
    CommandLine commandLine = new CommandLine(options).setCommandName(program);
    try {
      commandLine.parseArgs(args);
      options.check();
    } catch (ParameterException | IllegalArgumentException e) {
      StringWriter usage = new StringWriter();
      commandLine.usage(new PrintWriter(usage));
      throw new IllegalArgumentException(program + ": " + e.getMessage() + "\n" + usage, e);
    }
    if (options.helpRequested) {
      commandLine.usage(System.out);
      return Optional.empty();
    }
    return Optional.of(options);
  }

  private void check() {
    requirePositive("--checkpoint-interval-seconds", checkpointIntervalSeconds);
    requirePositive("--refresh-interval-seconds", refreshIntervalSeconds);
    requirePositive("--storm-opens", stormOpens);
    requirePositive("--storm-window-seconds", stormWindowSeconds);
    requireAtLeast("--flapping-opens", flappingOpens, 2);
    requirePositive("--flapping-window-seconds", flappingWindowSeconds);
    requirePositive("--resend-interval-seconds", resendIntervalSeconds);
    registrations.check();
    findings.check();
    requireHttpUrl("--clickhouse-url", clickHouseUrl);
    requireHttpUrl("--grafana-url", grafanaUrl);
    alertmanagerUrls.forEach(url -> requireHttpUrl("--alertmanager-urls", url));
  }

  private static void requirePositive(String option, long value) {
    requireAtLeast(option, value, 1);
  }

  private static void requireAtLeast(String option, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(option + " is " + value + ": give at least " + least);
    }
  }

  private static void requireHttpUrl(String option, String url) {
    if (!isHttpUrl(url)) {
      throw new IllegalArgumentException(
          option
              + " has '"
              + url
              + "': give http://HOST:PORT or https://HOST:PORT, without spaces");
    }
  }

  private static boolean isHttpUrl(String url) {
    try {
      URI uri = new URI(url);
      return uri.getHost() != null
          && ("http".equalsIgnoreCase(uri.getScheme())
              || "https".equalsIgnoreCase(uri.getScheme()));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** Kafka brokers, "host:port" separated by commas. */
  public String kafkaBootstrapServers() {
    return kafkaBootstrapServers;
  }

  /**
   * Where ClickHouse is and who inserts. The password is the first line of its file, empty where no
   * file is given.
   *
   * @throws UncheckedIOException where the file cannot be read
   */
  public ClickHouseConnection clickHouse() {
    return new ClickHouseConnection(clickHouseUrl, clickHouseUser, clickHousePassword());
  }

  private String clickHousePassword() {
    if (clickHousePasswordFile == null) {
      return "";
    }
    try (var lines = Files.lines(clickHousePasswordFile)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(
          "--clickhouse-password-file "
              + clickHousePasswordFile
              + " cannot be read: "
              + e.getMessage(),
          e);
    }
  }

  /** URLs of all Alertmanagers. */
  public List<String> alertmanagerUrls() {
    return alertmanagerUrls;
  }

  /** Checkpoint interval for an environment that has none configured. */
  public Duration checkpointInterval() {
    return Duration.ofSeconds(checkpointIntervalSeconds);
  }

  /** Durations and counts of the life of an alert. */
  public AlertTiming alertTiming() {
    return new AlertTiming(
        Duration.ofSeconds(refreshIntervalSeconds),
        FORGET_ALERTS_AFTER,
        flappingOpens,
        Duration.ofSeconds(flappingWindowSeconds));
  }

  /** When many alerts are one storm. */
  public StormLimits stormLimits() {
    return new StormLimits(
        stormOpens,
        Duration.ofSeconds(stormWindowSeconds),
        Duration.ofSeconds(refreshIntervalSeconds));
  }

  /** Time between two posts of an open alert. */
  public Duration resendInterval() {
    return Duration.ofSeconds(resendIntervalSeconds);
  }

  /** What the registrations job is told about its findings. */
  public RegistrationOptions registrations() {
    return registrations;
  }

  /** Where a page leads. */
  public PageLinks pageLinks() {
    return new PageLinks(grafanaUrl, runbooksUrl);
  }

  /** What concerns the WAN job. */
  public WanOptions wan() {
    return wan;
  }

  /** What concerns the findings job. */
  public FindingOptions findings() {
    return findings;
  }
}
