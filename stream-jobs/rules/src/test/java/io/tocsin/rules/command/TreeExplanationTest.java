package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeExplanationTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

  @TempDir private Path folder;

  @Test
  void aTreeThatIsDownSaysWhichSetsAreEnoughAndWhereEachPartStands() throws IOException {
    assertThat(explained((explanation, out) -> explanation.print("storage", out), "d1", "d2"))
        .containsExactly(
            "storage: down since 2026-11-20T12:00:05Z",
            "  enough: array",
            "  1 of 2: down since 2026-11-20T12:00:05Z",
            "    array: down since 2026-11-20T12:00:05Z",
            "    device ctl: up");
  }

  @Test
  void aTreeWithoutRedundancySaysWhatMustNotFail() throws IOException {
    assertThat(explained((explanation, out) -> explanation.print("array", out), "d2"))
        .containsExactly(
            "array: redundancy lost since 2026-11-20T12:00:00Z",
            "  2 of 3 for 5 s: up",
            "    device d1: up, and must not fail",
            "    d2 disk: down since 2026-11-20T12:00:00Z",
            "    device d3: up, and must not fail");
  }

  @Test
  void allTreesAreOneALineTheWorstFirst() throws IOException {
    assertThat(explained(TreeExplanation::printAll, "d2"))
        .containsExactly(
            "TREE                             STATE            SINCE                BY",
            "array                            redundancy lost  2026-11-20T12:00:00Z d2 disk",
            "storage                          up                                    ");
  }

  private List<String> explained(BiConsumer<TreeExplanation, PrintWriter> print, String... devices)
      throws IOException {
    Files.writeString(
        folder.resolve("trees.yaml"),
        """
        kind: tree
        name: array
        top:
          hold: 5s
          at_least: 2
          of: [{ alert: { device: d1 } }, { alert: { device: d2 } }, { alert: { device: d3 } }]
        ---
        kind: tree
        name: storage
        top: { any: [{ tree: array }, { alert: { device: ctl } }] }
        """);
    List<Alert> open = Arrays.stream(devices).map(TreeExplanationTest::alert).toList();
    StringWriter written = new StringWriter();
    PrintWriter out = new PrintWriter(written);
    print.accept(
        new TreeExplanation(RuleFiles.read(List.of(folder)).trees(), open, NOON.plusSeconds(60)),
        out);
    out.flush();
    return written.toString().lines().toList();
  }

  private static Alert alert(String device) {
    return Alert.newBuilder()
        .setFingerprint(device)
        .setState(AlertState.ALERT_STATE_SUPPRESSED)
        .setSeverity(Severity.SEVERITY_MAJOR)
        .setDevice(device)
        .setCheck("disk")
        .setOpenedAtUnixNanos(Nanos.of(NOON))
        .build();
  }
}
