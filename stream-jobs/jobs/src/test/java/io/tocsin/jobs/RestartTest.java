package io.tocsin.jobs;

import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.jobs.archive.ArchiveOptions;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class RestartTest {
  private final Configuration cluster = new Configuration();

  @Test
  void thoseThatPageStartFirst() {
    cluster.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, Duration.ofMillis(1500));
    assertThat(initialBackoff(Restart.PAGES_FIRST)).hasMillis(1500);
    assertThat(initialBackoff(Restart.AFTER_PAGES)).hasMillis(5500);
  }

  @Test
  void aFailureIsForgottenAfterAMinuteUnlessTheClusterSaysOtherwise() {
    assertThat(
            of(Restart.PAGES_FIRST).get(RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD))
        .hasMinutes(1);
    cluster.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD, Duration.ofMinutes(20));
    assertThat(
            of(Restart.PAGES_FIRST).get(RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD))
        .hasMinutes(20);
  }

  private Duration initialBackoff(Restart restart) {
    return of(restart).get(RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF);
  }

  private ReadableConfig of(Restart restart) {
    var env = StreamExecutionEnvironment.createLocalEnvironment(cluster);
    JobOptions options = JobOptions.parse("restart", new ArchiveOptions()).orElseThrow();
    JobRunner.prepare(env, options, Buffering.LOW_LATENCY, restart);
    return env.getConfiguration();
  }
}
