package io.tocsin.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {
  private final Backoff backoff =
      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10), new Random(7));

  @ParameterizedTest
  @CsvSource({
    "1, 200",
    "2, 400",
    "3, 800",
    "6, 6400",
    "7, 10000",
    "64, 10000",
    "2147483647, 10000"
  })
  void pausesDoubleUpToTheLongestAndLoseAtMostHalf(int attempt, long fullMillis) {
    assertThat(backoff.pauseMillis(attempt)).isBetween(fullMillis / 2, fullMillis);
  }
}
