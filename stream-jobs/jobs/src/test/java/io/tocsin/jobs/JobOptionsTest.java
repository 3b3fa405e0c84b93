package io.tocsin.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.wan.WanSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobOptionsTest {
  @Test
  void defaultsAreThoseOfTheEmbeddedStack() {
    JobOptions options = JobOptions.parse("job").orElseThrow();

    assertThat(options.kafkaBootstrapServers()).isEqualTo("127.0.0.1:9092");
    assertThat(options.clickHouse())
        .isEqualTo(new ClickHouseConnection("http://127.0.0.1:8123", "default", ""));
    assertThat(options.alertmanagerUrls()).containsExactly("http://127.0.0.1:9093");
    assertThat(options.checkpointInterval()).isEqualTo(Duration.ofSeconds(1));
    assertThat(options.alertTiming()).isEqualTo(AlertTiming.DEFAULT);
    assertThat(options.stormLimits()).isEqualTo(StormLimits.DEFAULT);
    assertThat(options.resendInterval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(options.wan().settings()).isEqualTo(WanSettings.defaults());
  }

  @Test
  void everyOptionIsRead(@TempDir Path folder) throws IOException {
    Path passwordFile = Files.writeString(folder.resolve("password"), "s3cret\nnot this\n");

    JobOptions options =
        JobOptions.parse(
                "job",
                "--kafka-bootstrap-servers=k1:1,k2:2",
                "--clickhouse-url",
                "http://ch:8123",
                "--clickhouse-user=writer",
                "--clickhouse-password-file=" + passwordFile,
                "--alertmanager-urls=http://am1:9093,http://am2:9093",
                "--checkpoint-interval-seconds=2",
                "--refresh-interval-seconds=3",
                "--storm-opens=40",
                "--storm-window-seconds=30",
                "--flapping-opens=7",
                "--flapping-window-seconds=90",
                "--resend-interval-seconds=4",
                "--wan-hour-of-week")
            .orElseThrow();

    assertThat(options.kafkaBootstrapServers()).isEqualTo("k1:1,k2:2");
    assertThat(options.clickHouse())
        .isEqualTo(new ClickHouseConnection("http://ch:8123", "writer", "s3cret"));
    assertThat(options.alertmanagerUrls()).containsExactly("http://am1:9093", "http://am2:9093");
    assertThat(options.checkpointInterval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(options.alertTiming())
        .isEqualTo(
            new AlertTiming(
                Duration.ofSeconds(3), Duration.ofHours(24), 7, Duration.ofSeconds(90)));
    assertThat(options.stormLimits())
        .isEqualTo(new StormLimits(40, Duration.ofSeconds(30), Duration.ofSeconds(3)));
    assertThat(options.resendInterval()).isEqualTo(Duration.ofSeconds(4));
    assertThat(options.wan().settings().hourOfWeek()).isTrue();
  }

  @Test
  void unknownOptionIsRefusedWithTheUsage() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.parse("job", "--clickhose-url=x"))
        .withMessageContaining("--clickhose-url")
        .withMessageContaining("Usage: job");
  }

  @Test
  void intervalOfNothingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.parse("job", "--resend-interval-seconds=0"))
        .withMessageContaining("--resend-interval-seconds is 0: give at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.parse("job", "--flapping-opens=1"))
        .withMessageContaining("--flapping-opens is 1: give at least 2");
  }

  @Test
  void missingPasswordFileIsNamed() {
    JobOptions options =
        JobOptions.parse("job", "--clickhouse-password-file=/no/such/file").orElseThrow();

    assertThatThrownBy(options::clickHouse)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("--clickhouse-password-file /no/such/file");
  }

  @Test
  void helpAsksForNothingElse() {
    assertThat(JobOptions.parse("job", "--help")).isEmpty();
  }

  @Test
  void passwordIsNotPrinted() {
    assertThat(new ClickHouseConnection("http://ch:8123", "writer", "s3cret").toString())
        .doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--alertmanager-urls=am1:9093",
        "--alertmanager-urls=http://am1:9093, http://am2:9093",
        "--alertmanager-urls=",
        "--clickhouse-url=ch:8123",
        "--clickhouse-url=https://"
      })
  void addressThatIsNoUrlIsRefused(String argument) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.parse("job", argument))
        .withMessageContaining(argument.substring(0, argument.indexOf('=')))
        .withMessageContaining("http://");
  }
}
