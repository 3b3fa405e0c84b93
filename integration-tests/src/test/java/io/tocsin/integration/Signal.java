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
    Ended ended = Ended.of(new ProcessBuilder("kill", "-" + name, Long.toString(pid)));
    assertThat(ended.exitCode()).as("kill -%s: %s", name, ended.output()).isZero();
  }
}
