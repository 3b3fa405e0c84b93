package io.tocsin.embedded.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimedDocumentsTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00.9Z");

  @TempDir Path folder;

  @Test
  void timesAreToldFromTheMomentOfThePushAndNothingElseIsChanged() {
    assertThat(
            TimedDocuments.fill(
                "starts: \"{{now-1h}}\"\nends: \"{{now+20s}}\"\nsummary: \"{device}: {{now}}\"",
                NOW))
        .isEqualTo(
            "starts: \"2026-11-20T11:00:00Z\"\nends: \"2026-11-20T12:00:20Z\"\nsummary: \"{device}: {{now}}\"");
  }

  @Test
  void filledDocumentsAreThereWhileTheyAreUsedAndGoneAfterwards() throws IOException {
    Files.writeString(folder.resolve("work.yaml"), "ends: {{now+1m}}");
    List<Path> seen = new ArrayList<>();
    TimedDocuments.fill(
        folder,
        NOW,
        filled -> {
          seen.add(filled);
          assertThat(filled.resolve("work.yaml")).hasContent("ends: 2026-11-20T12:01:00Z");
        });
    assertThat(seen).singleElement().satisfies(path -> assertThat(path).doesNotExist());
  }

  @Test
  void aFolderThatIsNoneIsNamed() {
    assertThatThrownBy(() -> TimedDocuments.fill(folder.resolve("none"), NOW, filled -> {}))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("none");
  }
}
