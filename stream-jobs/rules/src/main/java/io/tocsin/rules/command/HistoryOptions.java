package io.tocsin.rules.command;

import io.tocsin.rules.history.EventList;
import io.tocsin.rules.history.History;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where past events come from. */
final class HistoryOptions {
  @Option(
      names = "--source",
      paramLabel = "file",
      defaultValue = "file",
      description = "where events come from: file reads --events (default: ${DEFAULT-VALUE})")
  private Source source;

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description =
          "events in protobuf's JSON form, one a line, as `tocsin parse` prints them; - for standard input")
  private Path events;

  private enum Source {
    file
  }

  History history(KafkaOption kafka) {
    return switch (source) {
      case file -> {
        if (events == null) {
          throw CommandException.usage("no file of events is named", "give --events FILE");
        }
        yield new EventList(EventJson.readAll(events));
      }
    };
  }
}
