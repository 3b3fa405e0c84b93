package io.tocsin.rules.command;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.tocsin.events.v1.Event;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Events in protobuf's JSON form. */
final class EventJson {
  private EventJson() {}

  /**
   * Reads one event.
   *
   * @param where what to name in a refusal
   */
  static Event parse(String json, String where) {
    Event.Builder event = Event.newBuilder();
    try {
      JsonFormat.parser().merge(json, event);
    } catch (InvalidProtocolBufferException e) {
      throw new CommandException(
          where + ": this is no Event: " + e.getMessage(),
          "write it in protobuf's JSON form, as `tocsin parse` prints it and schemas/golden/event shows");
    }
    return event.build();
  }

  /** Reads events, one a line; - is standard input. */
  static List<Event> readAll(Path path) {
    List<String> lines = lines(path);
    return IntStream.range(0, lines.size())
        .filter(i -> !lines.get(i).isBlank())
        .mapToObj(i -> parse(lines.get(i), path + ":" + (i + 1)))
        .toList();
  }

  /** Bytes that are not UTF-8 are read as U+FFFD, as the agent shows them. */
  static List<String> lines(Path path) {
    boolean isStandardInput = path.equals(Path.of("-"));
    try (InputStream input = isStandardInput ? System.in : Files.newInputStream(path);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
    }
  }
}
