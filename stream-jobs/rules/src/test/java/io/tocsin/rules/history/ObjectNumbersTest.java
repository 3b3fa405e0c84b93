package io.tocsin.rules.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ObjectNumbersTest {
  @Test
  void anObjectOfTheUsualMibsHasItsNumberAndInstance() {
    assertThat(ObjectNumbers.of("IF-MIB::ifName.7")).isEqualTo("1.3.6.1.2.1.31.1.1.1.1.7");
    assertThat(ObjectNumbers.of("BGP4-MIB::bgpPeerState.192.0.2.77"))
        .isEqualTo("1.3.6.1.2.1.15.3.1.2.192.0.2.77");
    assertThat(ObjectNumbers.of("IF-MIB::ifName")).isEqualTo("1.3.6.1.2.1.31.1.1.1.1");
  }

  @Test
  void whatHasNoNameIsItsNumberAndAnUnknownNameHasNone() {
    assertThat(ObjectNumbers.of("1.3.6.1.4.1.99999.1.2")).isEqualTo("1.3.6.1.4.1.99999.1.2");
    assertThat(ObjectNumbers.of("SITE-MIB::door.1")).isEmpty();
  }
}
