package io.tocsin.rules.command;

import io.tocsin.events.v1.Event;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks {@code tocsin parse} what syslog messages mean. Syslog is read in one language: there is no
 * parser here.
 */
final class SyslogParser {
  private final String tocsin;

  /**
   * A parser.
   *
   * @param tocsin the binary: a path, or a name to look for on the PATH
   */
  SyslogParser(String tocsin) {
    this.tocsin = tocsin;
  }

  /**
   * The events of messages, in order: of each its syslog event or its reject, and behind it what
   * else it tells, such as the DHCP event of a server's line.
   *
   * @throws CommandException where the binary cannot be run
   */
  List<List<Event>> parse(List<String> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    Process process;
    try {
      process =
          new ProcessBuilder(tocsin, "parse", "--kind", "syslog", "-")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new CommandException(
          "cannot run '" + tocsin + "' to read syslog: " + e.getMessage(),
          "put tocsin on the PATH, or name it with --tocsin or TOCSIN_BINARY");
    }
    try {
      // In a thread of its own, or both sides would wait for each other when the pipes are full.
      Thread writer = new Thread(() -> write(messages, process), "syslog to tocsin parse");
      writer.start();
      List<List<Event>> events = read(process);
      writer.join();
      if (process.waitFor() != 0 || events.size() != messages.size()) {
        throw new CommandException(
            "'"
                + tocsin
                + " parse' gave "
                + events.size()
                + " messages for "
                + messages.size()
                + " lines",
            "take the tocsin of the same version as this jar");
      }
      return events;
    } catch (IOException e) {
      throw new CommandException(
          "'" + tocsin + " parse': " + e.getMessage(), "see its message above");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted", "start again");
    } finally {
      process.destroy();
    }
  }

  private static void write(List<String> messages, Process process) {
    try (OutputStream input = process.getOutputStream()) {
      for (String message : messages) {
        input.write((message + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // The process has ended; its exit code and the number of events tell.
      process.destroy();
    }
  }

  private static List<List<Event>> read(Process process) throws IOException {
    List<List<Event>> events = new ArrayList<>();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        Event event = EventJson.parse(line, "tocsin parse");
        if (event.hasSyslog() || event.hasReject() || events.isEmpty()) {
          events.add(new ArrayList<>());
        }
        events.get(events.size() - 1).add(event);
      }
    }
    return events;
  }
}
