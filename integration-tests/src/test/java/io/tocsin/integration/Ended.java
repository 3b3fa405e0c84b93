package io.tocsin.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that has ended.
 *
 * @param output everything that it printed, errors too
 */
record Ended(int exitCode, String output) {
  /** More than any program of these tests takes; a laboratory waits five for another. */
  private static final int DEADLINE_MINUTES = 10;

  /** Starts a program and waits for its end. */
  static Ended of(ProcessBuilder builder) throws IOException, InterruptedException {
    return of(builder.redirectErrorStream(true).start());
  }

  /**
   * Waits for the end of a program.
   *
   * @throws AssertionError where it does not end: then it is killed
   */
  static Ended of(Process process) throws InterruptedException {
    CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> outputOf(process));
    if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)) {
      String command = process.info().commandLine().orElse("a program");
      process.destroyForcibly();
      throw new AssertionError(
          "%s has not ended within %d minutes; it said: %s"
              .formatted(command, DEADLINE_MINUTES, output.join()));
    }
    return new Ended(process.exitValue(), output.join());
  }

  private static String outputOf(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
