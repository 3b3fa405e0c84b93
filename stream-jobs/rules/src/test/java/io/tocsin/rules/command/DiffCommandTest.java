package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.rules.topic.RulesTopic;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffCommandTest {
  @TempDir private Path folder;

  @Test
  void whatAPushWouldChangeIsToldLineByLine() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(
        file, PushPlanTest.rule("a", "major") + "---\n" + PushPlanTest.rule("b", "minor"));
    RuleFiles files = RuleFiles.read(List.of(file));
    RulesTopic.Contents inForce =
        new RulesTopic.Contents(
            Map.of(
                "a", RulesTopic.document("a", PushPlanTest.rule("a", "minor"), "x", Instant.EPOCH),
                "old",
                    RulesTopic.document(
                        "old", PushPlanTest.rule("old", "minor"), "x", Instant.EPOCH)),
            Set.of(),
            2);
    StringWriter text = new StringWriter();

    DiffCommand.print(
        files, inForce, PushPlan.of(files, inForce, true, false), new PrintWriter(text, true));

    assertThat(text.toString().lines())
        .containsExactly(
            "changed  a  (" + file + ":1)",
            "@@ -1,6 +1,6 @@",
            " kind: rule",
            " name: a",
            " fingerprint: [device]",
            "-severity: minor",
            "+severity: major",
            " summary: s",
            " clauses: [{ signal: raise, syslog: { app_name: x } }]",
            "added    b  (" + file + ":8)",
            "removed  old");
  }
}
