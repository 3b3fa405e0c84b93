package io.tocsin.rules.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.correlation.alerts.Dependency;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.correlation.calendar.Occurrences;
import io.tocsin.correlation.calendar.Recurrence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentLoaderTest {
  private static final String EXPECTED = "# expect ";

  /** The cases of refused.txt: a comment with line and reason, then the document. */
  static Stream<DocumentText> refusedDocuments() throws IOException {
    String content;
    try (var cases = DocumentLoaderTest.class.getResourceAsStream("/refused.txt")) {
      content = new String(cases.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<DocumentText> documents = DocumentText.split("refused.txt", content);
    assertThat(documents).hasSizeGreaterThan(30);
    return documents.stream();
  }

  @ParameterizedTest
  @MethodSource("refusedDocuments")
  void saysFileLineAndReason(DocumentText document) {
    String expected =
        document
            .text()
            .lines()
            .filter(line -> line.startsWith(EXPECTED))
            .findFirst()
            .orElseThrow()
            .substring(EXPECTED.length());
    int colon = expected.indexOf(": ");
    int line = document.firstLine() + Integer.parseInt(expected.substring(0, colon));

    assertThatThrownBy(() -> DocumentLoader.load(document))
        .isInstanceOf(DocumentException.class)
        .hasMessage("refused.txt:" + line + expected.substring(colon));
  }

  @Test
  void aMaintenanceWindowIsRead() {
    Document document =
        load(
            """
            kind: maintenance
            name: core-upgrade
            description: new software on the core
            starts: 2026-11-20T22:00:00Z
            ends: 2026-11-21T02:00:00Z
            alerts: { device: [core1, "edge*"], site: hq }
            """);
    assertThat(((PolicyDocument) document).policy())
        .isInstanceOfSatisfying(
            MaintenanceWindow.class,
            window -> {
              assertThat(window.name()).isEqualTo("core-upgrade");
              assertThat(window.occurrences())
                  .isEqualTo(
                      new Occurrence(1_795_212_000_000_000_000L, 1_795_226_400_000_000_000L));
            });
  }

  @Test
  void aMaintenanceWindowOfAPlaceIsReadByItsClocks() {
    String once =
        """
        kind: maintenance
        name: core-upgrade
        alerts: { device: core1 }
        zone: Europe/Berlin
        starts: 2026-11-20T23:00
        ends: 2026-11-21 03:00:00
        """;
    assertThat(occurrences(once))
        .isEqualTo(new Occurrence(1_795_212_000_000_000_000L, 1_795_226_400_000_000_000L));
    assertThat(occurrences(once + "repeats: FREQ=WEEKLY;BYDAY=FR\n"))
        .isInstanceOfSatisfying(
            Recurrence.class,
            recurrence -> {
              assertThat(recurrence.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
              assertThat(recurrence.rule()).isEqualTo("FREQ=WEEKLY;BYDAY=FR");
              assertThat(recurrence.isOnAt(1_795_212_000_000_000_000L)).isTrue();
            });
  }

  private static Occurrences occurrences(String text) {
    return ((MaintenanceWindow) ((PolicyDocument) load(text)).policy()).occurrences();
  }

  @Test
  void aDependencyIsRead() {
    Document document =
        load(
            """
            kind: dependency
            name: branch-7
            alerts: { site: branch-7 }
            upstreams:
              - { device: wan1, check: link }
              - { device: wan2, check: link }
            """);
    assertThat(((PolicyDocument) document).policy())
        .isInstanceOfSatisfying(
            Dependency.class, dependency -> assertThat(dependency.upstreams()).hasSize(2));
  }

  @Test
  void documentsOfAFileAreCutApartWithTheirLines() {
    List<DocumentText> documents =
        DocumentText.split("f.yaml", "# only a comment\n---\na: 1\n---\n\n---\nb: 2\n");
    assertThat(documents)
        .containsExactly(
            new DocumentText("f.yaml", 3, "a: 1\n"), new DocumentText("f.yaml", 7, "b: 2\n"));
  }

  @Test
  void anOriginIsTakenApartAgain() {
    List<String> origins = new ArrayList<>();
    for (String origin :
        List.of("rules/link.yaml:12", "no line", "C:\\rules", ":7", "a:999999999")) {
      DocumentText text = DocumentText.of(origin, "");
      origins.add(text.file() + " " + text.firstLine());
    }
    assertThat(origins)
        .containsExactly("rules/link.yaml 12", "no line 1", "C:\\rules 1", ":7 1", "a:999999999 1");
  }

  private static Document load(String text) {
    return DocumentLoader.load(new DocumentText("test", 1, text));
  }
}
