package io.tocsin.embedded.command;

import java.util.function.Consumer;

/** Progress on standard output: seconds since the start before each line. */
final class ProgressLines implements Consumer<String> {

  private final long start = System.nanoTime();

  @Override
  public synchronized void accept(String line) {
    System.out.printf("[%5.1f s] %s%n", (System.nanoTime() - start) / 1e9, line);
    System.out.flush();
  }
}
