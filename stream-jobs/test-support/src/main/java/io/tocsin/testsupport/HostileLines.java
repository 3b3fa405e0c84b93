package io.tocsin.testsupport;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Lines made to hurt a matcher, and the proof that they do not: a byte of a long line takes as long
 * as a byte of a short one. What grows with the square costs a byte of 256 KiB 64 times as much.
 * The thread's CPU time counts, and the least of several runs: nothing makes work quicker than it
 * is.
 */
public final class HostileLines {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int SHORT_LENGTH = 4 * 1024;
  private static final int LONG_LENGTH = 256 * 1024;
  private static final int MOST_RUNS = 8;
  private static final double MOST_RATIO = 6;

  /** What takes less is no work: a cache that is missed would be seen. */
  private static final double LEAST_NANOS_PER_BYTE = 10;

  private HostileLines() {}

  /** Texts to repeat: a text that is looked for, and near matches of it. */
  public static Stream<String> seedsOf(String text) {
    return Stream.of(
            text,
            text.substring(0, text.length() - 1),
            text.substring(text.length() / 2),
            text + " ")
        .filter(seed -> !seed.isEmpty())
        .distinct();
  }

  /**
   * Feeds lines that repeat a seed.
   *
   * @throws AssertionError where a byte of a line of 256 KiB takes more than six times as long as
   *     one of 4 KiB
   */
  public static void assertLinear(String what, String seed, Consumer<String> work) {
    String line = repeated(seed, SHORT_LENGTH);
    double perByte = Double.MAX_VALUE;
    for (int run = 0; run < MOST_RUNS; run++) {
      perByte = Math.min(perByte, nanosPerByte(line, work));
    }
    perByte = Math.max(perByte, LEAST_NANOS_PER_BYTE);
    assertNoDearer(what, seed, perByte, repeated(seed, LONG_LENGTH), work);
  }

  private static void assertNoDearer(
      String what, String seed, double nanosPerByte, String line, Consumer<String> work) {
    double least = Double.MAX_VALUE;
    for (int run = 0; run < MOST_RUNS; run++) {
      least = Math.min(least, nanosPerByte(line, work));
      if (least <= MOST_RATIO * nanosPerByte) {
        return;
      }
    }
    throw new AssertionError(
        String.format(
            "%s: a byte takes %.0f ns in a line of %d bytes and %.0f ns in one of %d, which repeats '%s'",
            what, least, line.length(), nanosPerByte, SHORT_LENGTH, seed));
  }

  private static double nanosPerByte(String line, Consumer<String> work) {
    long start = THREADS.getCurrentThreadCpuTime();
    work.accept(line);
    return (double) (THREADS.getCurrentThreadCpuTime() - start) / line.length();
  }

  private static String repeated(String seed, int length) {
    return seed.repeat(length / seed.length() + 1).substring(0, length);
  }
}
