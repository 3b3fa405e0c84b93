package io.tocsin.embedded.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  @Test
  void waitDoublesUpToHalfAMinuteAndStartsAnewAfterASteadyRun() {
    Backoff backoff = new Backoff();
    assertThat(
            IntStream.range(0, 8).mapToLong(i -> backoff.after(Duration.ofSeconds(1)).toMillis()))
        .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 16_000L, 30_000L, 30_000L);
    assertThat(backoff.after(Duration.ofMinutes(1))).isEqualTo(Duration.ofMillis(500));
  }
}
