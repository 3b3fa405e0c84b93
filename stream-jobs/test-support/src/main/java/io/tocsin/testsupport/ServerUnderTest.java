package io.tocsin.testsupport;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Servers that tests need and do not start themselves; an environment variable says where. */
public final class ServerUnderTest {
  private ServerUnderTest() {}

  /**
   * Bootstrap servers of a real Kafka with Tocsin's topics, named by TOCSIN_TEST_KAFKA. Tests share
   * it: they name what they send after themselves, and look only at what came after they began.
   */
  public static String requireKafka() {
    return require("TOCSIN_TEST_KAFKA", "Kafka with Tocsin's topics, for example 127.0.0.1:9092");
  }

  /**
   * What a variable says; without it the calling test is skipped on a laptop and fails where
   * CI=true.
   */
  static String require(String variable, String what) {
    String address = System.getenv(variable);
    if (address == null || address.isEmpty()) {
      String reason = variable + " names no " + what;
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(reason);
      }
      Assumptions.abort(reason);
    }
    return address;
  }
}
