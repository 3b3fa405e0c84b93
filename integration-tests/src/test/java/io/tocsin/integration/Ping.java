package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code ping} of iputils, five times a second, beside the agent's probes. */
final class Ping {
  private static final Pattern SUMMARY =
      Pattern.compile("min/avg/max/mdev = ([0-9.]+)/([0-9.]+)/([0-9.]+)/");

  private final Process process;

  private Ping(Process process) {
    this.process = process;
  }

  /**
   * What it saw.
   *
   * @param leastMs least round-trip time
   * @param averageMs mean round-trip time
   * @param mostMs greatest round-trip time
   */
  record Seen(double leastMs, double averageMs, double mostMs) {}

  /** Starts it. */
  static Ping begin(String address, int count) throws IOException {
    return new Ping(
        new ProcessBuilder("ping", "-q", "-i", "0.2", "-c", Integer.toString(count), address)
            .redirectErrorStream(true)
            .start());
  }

  /** Waits for its end. */
  Seen end() throws InterruptedException {
    String said = Ended.of(process).output();
    Matcher summary = SUMMARY.matcher(said);
    assertThat(summary.find()).as("ping's summary: %s", said).isTrue();
    return new Seen(
        Double.parseDouble(summary.group(1)),
        Double.parseDouble(summary.group(2)),
        Double.parseDouble(summary.group(3)));
  }
}
