package io.tocsin.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.LeaseLatency;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The files in schemas/golden/&lt;message&gt;/ mean the same in every language: case.bin decodes to
 * what case.json says. A new case is two new files.
 */
class GoldenMessagesTest {
  private static final Map<String, Message> MESSAGES_BY_FOLDER =
      Map.of(
          "event", Event.getDefaultInstance(),
          "alert", Alert.getDefaultInstance(),
          "lease_latency", LeaseLatency.getDefaultInstance());

  @ParameterizedTest
  @MethodSource("goldenFiles")
  void bytesDecodeToWhatTheJsonSays(Path bin) throws IOException {
    Message prototype = MESSAGES_BY_FOLDER.get(bin.getParent().getFileName().toString());
    assertThat(prototype).as("message for folder %s", bin.getParent()).isNotNull();
    Message.Builder expected = prototype.newBuilderForType();
    Path json = Path.of(bin.toString().replaceAll("\\.bin$", ".json"));
    JsonFormat.parser().merge(Files.readString(json), expected);

    Message decoded = prototype.getParserForType().parseFrom(Files.readAllBytes(bin));

    assertThat(decoded).isEqualTo(expected.build());
    assertThat(decoded.getUnknownFields().asMap()).as("fields this build does not know").isEmpty();
  }

  @Test
  void everyFolderOfMessagesHasACase() throws IOException {
    for (String folder : MESSAGES_BY_FOLDER.keySet()) {
      assertThat(goldenFiles().map(bin -> bin.getParent().getFileName().toString()))
          .as("golden files in %s", goldenFolder())
          .contains(folder);
    }
  }

  static Stream<Path> goldenFiles() throws IOException {
    try (Stream<Path> files = Files.walk(goldenFolder())) {
      return files.filter(file -> file.toString().endsWith(".bin")).sorted().toList().stream();
    }
  }

  private static Path goldenFolder() {
    return Path.of(System.getProperty("tocsin.golden"));
  }
}
