package io.tocsin.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NanosTest {
  @Test
  void timerIsNeverEarlyAndLessThanAMillisecondLate() {
    assertThat(Nanos.toMillisUp(5_000_000)).isEqualTo(5);
    assertThat(Nanos.toMillisUp(5_000_001)).isEqualTo(6);
    assertThat(Nanos.toMillisUp(5_999_999)).isEqualTo(6);
    assertThat(Nanos.toMillisUp(-1)).isZero();
  }

  @Test
  void timeBeforeTheFirstWatermarkAndAfterTheLastSaturates() {
    assertThat(Nanos.ofMillis(1_500)).isEqualTo(1_500_000_000L);
    assertThat(Nanos.ofMillis(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    assertThat(Nanos.ofMillis(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }
}
