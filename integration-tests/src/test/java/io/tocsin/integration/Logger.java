package io.tocsin.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** util-linux's {@code logger}: a syslog sender that is not ours. */
final class Logger {
  private static final int SECONDS = 30;

  private Logger() {}

  /**
   * Sends one message a line to 127.0.0.1 by one process.
   *
   * @param options for example {@code --udp --rfc5424}
   * @throws AssertionError when logger is missing or fails
   */
  static void send(int port, List<String> lines, String... options) throws Exception {
    Path file = Files.createTempFile("tocsin-logger", ".txt");
    try {
      Files.write(file, lines);
      List<String> command =
          new ArrayList<>(List.of("logger", "--server", "127.0.0.1", "--port", "" + port));
      command.addAll(List.of(options));
      command.addAll(List.of("--file", file.toString()));
      run(command);
    } finally {
      Files.delete(file);
    }
  }

  private static void run(List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // RFC 3164 times have no zone: sender and receiver must mean the same one.
    builder.environment().put("TZ", "UTC");
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new AssertionError("logger is missing: apt-get install bsdutils", e);
    }
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("logger did not end within %d s: %s".formatted(SECONDS, command));
    }
    if (process.exitValue() != 0) {
      throw new AssertionError(
          "%s ended with %d: %s"
              .formatted(
                  command,
                  process.exitValue(),
                  new String(process.getInputStream().readAllBytes())));
    }
  }
}
