package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

/** Signals to processes. */
final class Signal {
  private Signal() {}

  /**
   * Sends a signal.
   *
   * @param name without SIG, for example "STOP"
   */
  static void send(String name, long pid) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor())
        .as("exit code of kill -%s", name)
        .isZero();
  }
}
