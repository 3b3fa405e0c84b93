package io.tocsin.integration;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A program that has ended.
 *
 * @param output everything that it printed, errors too
 */
record Ended(int exitCode, String output) {
  /** Starts a program and waits for its end. */
  static Ended of(ProcessBuilder builder) throws IOException, InterruptedException {
    return of(builder.redirectErrorStream(true).start());
  }

  /** Waits for the end of a program. */
  static Ended of(Process process) throws IOException, InterruptedException {
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return new Ended(process.waitFor(), output);
  }
}
