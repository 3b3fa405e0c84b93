package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PushPlanTest {
  private static final String WINDOW =
      """
      kind: maintenance
      name: tonight
      alerts: { site: hq }
      starts: 2026-11-20T22:00:00Z
      ends: 2026-11-21T02:00:00Z
      """;
  private static final String DEPENDENCY =
      """
      kind: dependency
      name: branch
      alerts: { site: branch }
      upstreams: [{ device: wan1 }]
      """;

  @TempDir private Path folder;

  @Test
  void whatIsThereAlreadyIsNotPublishedAgain() throws IOException {
    RuleFiles files = files(rule("a", "minor") + "---\n" + rule("b", "minor"));

    PushPlan plan =
        PushPlan.of(
            files,
            inForce(rule("a", "minor"), rule("b", "major"), rule("c", "minor")),
            false,
            false);

    assertThat(plan.changed()).containsOnlyKeys("b");
    assertThat(plan.removed()).isEmpty();
  }

  @Test
  void pruningTakesRulesAndDependenciesAndLeavesMaintenanceWindows() throws IOException {
    PushPlan plan =
        PushPlan.of(
            files(rule("a", "minor")),
            inForce(rule("a", "minor"), rule("old", "minor"), DEPENDENCY, WINDOW),
            true,
            false);

    assertThat(plan.removed()).containsExactlyInAnyOrder("old", "branch", "unreadable");
  }

  @Test
  void maintenanceWindowsGoWhereThatIsAsked() throws IOException {
    RuleFiles files = files(rule("a", "minor"));

    assertThat(PushPlan.of(files, inForce(rule("old", "minor"), WINDOW), false, true).removed())
        .containsExactly("tonight");
    assertThat(PushPlan.of(files(WINDOW), inForce(WINDOW), true, true).removed())
        .containsExactly("unreadable");
  }

  @Test
  void aDisabledRuleIsTakenOutOfForceWithoutPruning() throws IOException {
    RuleFiles files =
        files(rule("a", "minor") + "---\nkind: override\nrule: a\nset: { enabled: false }\n");

    PushPlan plan =
        PushPlan.of(files, inForce(rule("a", "minor"), rule("b", "minor")), false, false);

    assertThat(plan.changed()).isEmpty();
    assertThat(plan.removed()).containsExactly("a");
  }

  private RuleFiles files(String text) throws IOException {
    RuleFiles files =
        RuleFiles.read(List.of(Files.writeString(folder.resolve("rules.yaml"), text)));
    assertThat(files.problems()).isEmpty();
    return files;
  }

  private static RulesTopic.Contents inForce(String... documents) {
    Map<String, RuleDocument> byName = new TreeMap<>();
    for (String yaml : documents) {
      String name = yaml.lines().toList().get(1).substring("name: ".length());
      byName.put(name, RuleDocument.newBuilder().setName(name).setYaml(yaml).build());
    }
    return new RulesTopic.Contents(byName, Set.of("unreadable"), 1);
  }

  /** Its text, with the name on the second line. */
  static String rule(String name, String severity) {
    return """
        kind: rule
        name: %s
        fingerprint: [device]
        severity: %s
        summary: s
        clauses: [{ signal: raise, syslog: { app_name: x } }]
        """
        .formatted(name, severity);
  }
}
