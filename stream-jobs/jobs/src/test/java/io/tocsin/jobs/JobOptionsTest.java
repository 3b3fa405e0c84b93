package io.tocsin.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tocsin.connectors.alertmanager.PageLinks;
import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.correlation.registrations.findings.FindingLimits;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.jobs.alerts.AlertsOptions;
import io.tocsin.jobs.archive.ArchiveOptions;
import io.tocsin.jobs.findings.FindingsOptions;
import io.tocsin.jobs.paging.PagingOptions;
import io.tocsin.jobs.registrations.RegistrationsOptions;
import io.tocsin.jobs.wan.WanOptions;
import io.tocsin.kafka.KafkaConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobOptionsTest {
  private static final Map<String, Supplier<JobOptions>> OF_JOBS =
      Map.of(
          "archive", ArchiveOptions::new,
          "alerts", AlertsOptions::new,
          "paging", PagingOptions::new,
          "registrations", RegistrationsOptions::new,
          "wan", WanOptions::new,
          "findings", FindingsOptions::new);

  private static final Set<String> OF_EVERY_JOB =
      Set.of(
          "--kafka-bootstrap-servers",
          "--kafka-config",
          "--kafka-generation",
          "--checkpoint-interval-seconds",
          "--help");
  private static final Set<String> OF_CLICKHOUSE =
      Set.of(
          "--clickhouse-url", "--clickhouse-user", "--clickhouse-password-file", "--clickhouse-ca");

  @Test
  void defaultsAreThoseOfTheEmbeddedStack() {
    ArchiveOptions archive = parse(new ArchiveOptions());
    AlertsOptions alerts = parse(new AlertsOptions());
    PagingOptions paging = parse(new PagingOptions());

    assertThat(alerts.kafka()).isEqualTo(KafkaConnection.of("127.0.0.1:9092"));
    assertThat(alerts.checkpointInterval()).isEqualTo(Duration.ofSeconds(10));
    assertThat(archive.checkpointInterval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(List.of(new RegistrationsOptions(), new WanOptions(), new FindingsOptions()))
        .allSatisfy(
            options ->
                assertThat(parse(options).checkpointInterval()).isEqualTo(Duration.ofSeconds(30)));
    assertThat(archive.clickHouse()).isEqualTo(ClickHouseConnection.open("http://127.0.0.1:8123"));
    assertThat(alerts.settings().timing()).isEqualTo(AlertTiming.DEFAULT);
    assertThat(alerts.settings().updateExpiry()).isEqualTo(UpdateExpiry.of(Duration.ofDays(7)));
    assertThat(alerts.settings().storms()).isEqualTo(StormLimits.DEFAULT);
    assertThat(paging.alertmanagerUrls()).containsExactly("http://127.0.0.1:9093");
    assertThat(paging.resendInterval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(paging.pageLinks()).isEqualTo(new PageLinks("http://127.0.0.1:3000", ""));
    assertThat(parse(new WanOptions()).settings()).isEqualTo(WanSettings.defaults());
    assertThat(parse(new RegistrationsOptions()).limits()).isEqualTo(FindingLimits.DEFAULT);
  }

  @Test
  void optionsOfEveryJobAndOfClickHouseAreRead() {
    ArchiveOptions options =
        parse(
            new ArchiveOptions(),
            "--kafka-bootstrap-servers=k1:1,k2:2",
            "--checkpoint-interval-seconds=2",
            "--clickhouse-url",
            "http://ch:8123",
            "--clickhouse-user=writer",
            "--clickhouse-password-file=/etc/tocsin/password",
            "--clickhouse-ca=/etc/tocsin/ca.pem");

    assertThat(options.kafka()).isEqualTo(KafkaConnection.of("k1:1,k2:2"));
    assertThat(options.checkpointInterval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(options.clickHouse())
        .isEqualTo(
            new ClickHouseConnection(
                "http://ch:8123", "writer", "/etc/tocsin/password", "/etc/tocsin/ca.pem"));
  }

  @Test
  void optionsOfOneJobAreRead() {
    AlertsOptions alerts =
        parse(
            new AlertsOptions(),
            "--refresh-interval-seconds=3",
            "--storm-opens=40",
            "--storm-window-seconds=30",
            "--flapping-opens=7",
            "--flapping-window-seconds=90",
            "--max-clock-deviation-seconds=120");
    PagingOptions paging =
        parse(
            new PagingOptions(),
            "--alertmanager-urls=http://am1:9093,http://am2:9093",
            "--resend-interval-seconds=4");

    assertThat(alerts.settings().timing())
        .isEqualTo(
            new AlertTiming(
                Duration.ofSeconds(3),
                Duration.ofHours(24),
                7,
                Duration.ofSeconds(90),
                Duration.ofMinutes(2)));
    assertThat(alerts.settings().storms())
        .isEqualTo(new StormLimits(40, Duration.ofSeconds(30), Duration.ofSeconds(3)));
    assertThat(paging.alertmanagerUrls()).containsExactly("http://am1:9093", "http://am2:9093");
    assertThat(paging.resendInterval()).isEqualTo(Duration.ofSeconds(4));
    assertThat(parse(new WanOptions(), "--wan-hour-of-week").settings().hourOfWeek()).isTrue();
  }

  @Test
  void helpOfAJobShowsItsOwnOptionsAndNoOthers() {
    assertThat(optionsOf("archive")).isEqualTo(union(OF_CLICKHOUSE));
    assertThat(optionsOf("alerts"))
        .isEqualTo(
            union(
                Set.of(
                    "--max-clock-deviation-seconds",
                    "--refresh-interval-seconds",
                    "--update-expiry-hours",
                    "--update-expiry-hours-of",
                    "--max-alerts-per-source",
                    "--storm-opens",
                    "--storm-window-seconds",
                    "--flapping-opens",
                    "--flapping-window-seconds")));
    assertThat(optionsOf("paging"))
        .isEqualTo(
            union(
                Set.of(
                    "--alertmanager-urls",
                    "--resend-interval-seconds",
                    "--grafana-url",
                    "--runbooks-url")));
    assertThat(optionsOf("wan")).isEqualTo(union(Set.of("--wan-hour-of-week")));
    assertThat(optionsOf("findings"))
        .isEqualTo(
            union(
                Set.of(
                    "--connection-gauges",
                    "--connection-limit-ratio",
                    "--disconnect-pattern",
                    "--disconnect-burst",
                    "--agents-removed-after-hours",
                    "--max-clock-deviation-seconds",
                    "--processor-gauges",
                    "--disk-busy-percent",
                    "--disk-wait-ms",
                    "--processor-idle-percent",
                    "--resolver-disagrees-answers",
                    "--resolver-slow-ms")));
    assertThat(optionsOf("registrations"))
        .contains("--dhcp-servers")
        .doesNotContainAnyElementsOf(OF_CLICKHOUSE);
  }

  @Test
  void sourceCanHaveAnExpiryOfItsOwn() {
    AlertsOptions alerts = parse(new AlertsOptions(), "--update-expiry-hours-of=hyak=2,zabbix=24");

    assertThat(alerts.settings().updateExpiry().bySource())
        .isEqualTo(Map.of("hyak", Duration.ofHours(2), "zabbix", Duration.ofHours(24)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(new AlertsOptions(), "--update-expiry-hours-of=hyak=0"))
        .withMessageContaining("--update-expiry-hours-of hyak is 0: give at least 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"alerts", "paging", "registrations", "wan", "findings"})
  void clickHouseIsForTheArchiveAloneToKnow(String job) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(OF_JOBS.get(job).get(), "--clickhouse-url=http://ch:8123"))
        .withMessageContaining("--clickhouse-url");
  }

  @ParameterizedTest
  @ValueSource(strings = {"archive", "alerts", "paging", "registrations", "wan", "findings"})
  void unknownOptionIsRefusedWithTheUsageByEachJob(String job) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.parse(job, OF_JOBS.get(job).get(), "--clickhose-url=x"))
        .withMessageContaining("--clickhose-url")
        .withMessageContaining("Usage: " + job);
  }

  @Test
  void intervalOfNothingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(new PagingOptions(), "--resend-interval-seconds=0"))
        .withMessageContaining("--resend-interval-seconds is 0: give at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(new AlertsOptions(), "--flapping-opens=1"))
        .withMessageContaining("--flapping-opens is 1: give at least 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(new ArchiveOptions(), "--checkpoint-interval-seconds=0"))
        .withMessageContaining("--checkpoint-interval-seconds is 0: give at least 1");
  }

  @Test
  void helpAsksForNothingElse() {
    assertThat(JobOptions.parse("job", new ArchiveOptions(), "--help")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--alertmanager-urls=am1:9093",
        "--alertmanager-urls=http://am1:9093, http://am2:9093",
        "--alertmanager-urls="
      })
  void alertmanagerThatIsNoUrlIsRefused(String argument) {
    assertRefused(new PagingOptions(), argument);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--clickhouse-url=ch:8123", "--clickhouse-url=https://"})
  void clickHouseThatIsNoUrlIsRefused(String argument) {
    assertRefused(new ArchiveOptions(), argument);
  }

  private static void assertRefused(JobOptions options, String argument) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(options, argument))
        .withMessageContaining(argument.substring(0, argument.indexOf('=')))
        .withMessageContaining("http://");
  }

  private static <O extends JobOptions> O parse(O options, String... args) {
    return JobOptions.parse("job", options, args).orElseThrow();
  }

  /** What the usage text has at the beginning of lines. */
  private static Set<String> optionsOf(String job) {
    Set<String> names = new TreeSet<>();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.parse(job, OF_JOBS.get(job).get(), "--no-such-option"))
        .satisfies(
            e -> {
              Matcher lines =
                  Pattern.compile("(?m)^ +(?:-h, )?(--[a-z-]+)").matcher(e.getMessage());
              while (lines.find()) {
                names.add(lines.group(1));
              }
            });
    return names;
  }

  @SafeVarargs
  private static Set<String> union(Set<String>... more) {
    Set<String> all = new TreeSet<>(OF_EVERY_JOB);
    for (Set<String> names : more) {
      all.addAll(names);
    }
    return all;
  }
}
