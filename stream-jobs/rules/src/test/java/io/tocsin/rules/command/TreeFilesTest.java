package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.FaultTree;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import io.tocsin.correlation.alerts.TreeNode.TreeGate;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder with fault trees in it. */
class TreeFilesTest {
  @TempDir private Path folder;

  @Test
  void aTreeIsReadWithItsGatesLeavesAndHolds() throws IOException {
    write(
        "array.yaml",
        """
        kind: tree
        name: storage
        severity: major
        redundancy_lost: warning
        team: storage
        site: hq
        runbook: arrays
        hold: 30s
        labels: { pager: noc }
        top:
          any:
            - tree: fans
            - more_than: 1
              hold: 10s
              of:
                - { alert: { device: d1, check: disk }, severity: [major, critical], name: disk one }
                - alert: { device: d2, check: disk }
                - alert: { device: d3, check: disk }
        ---
        kind: tree
        name: fans
        top: { alert: { check: fan } }
        redundancy_lost: never
        """);

    RuleFiles files = read();

    assertThat(files.problems()).isEmpty();
    FaultTree tree = files.trees().get(1);
    assertThat(tree.name()).isEqualTo("storage");
    assertThat(tree.severity()).isEqualTo(Severity.SEVERITY_MAJOR);
    assertThat(tree.redundancySeverity()).isEqualTo(Severity.SEVERITY_WARNING);
    assertThat(tree.holdNanos()).isEqualTo(30 * Nanos.PER_SECOND);
    assertThat(tree.site()).isEqualTo("hq");
    assertThat(tree.runbook()).isEqualTo("arrays");
    assertThat(tree.labels()).isEqualTo(Map.of("team", "storage", "pager", "noc"));
    TreeGate top = (TreeGate) tree.top();
    assertThat(top.atLeast()).isEqualTo(1);
    assertThat(top.children().get(0)).isEqualTo(new TreeLeaf("fans"));
    TreeGate disks = (TreeGate) top.children().get(1);
    assertThat(disks.atLeast()).isEqualTo(2);
    assertThat(disks.holdNanos()).isEqualTo(10 * Nanos.PER_SECOND);
    assertThat(((AlertLeaf) disks.children().get(0)).name()).isEqualTo("disk one");
    assertThat(((AlertLeaf) disks.children().get(0)).severities()).hasSize(2);
    assertThat(files.trees().get(0).redundancySeverity()).isEqualTo(Severity.SEVERITY_UNSPECIFIED);
    assertThat(RulePaths.count(files)).startsWith("0 rules, 2 trees, 0 maintenance");
  }

  @Test
  void circlesAndUnknownTreesAreRefusedWithFileAndLine() throws IOException {
    write("a.yaml", "kind: tree\nname: a\ntop:\n  any:\n    - tree: b\n");
    write("b.yaml", "kind: tree\nname: b\ntop:\n  tree: a\n");
    write("c.yaml", "kind: tree\nname: c\ntop:\n  all:\n    - tree: a\n    - tree: gone\n");

    assertThat(read().problems())
        .extracting(Throwable::getMessage)
        .containsExactly(
            folder.resolve("a.yaml") + ":5: a circle: 'a' follows from 'b', and that from it",
            folder.resolve("b.yaml") + ":4: a circle: 'b' follows from 'a', and that from it",
            folder.resolve("c.yaml") + ":6: no tree 'gone' in these files");
  }

  @Test
  void anOverrideChangesATree() throws IOException {
    write("a.yaml", "kind: tree\nname: a\ntop: { alert: { device: d1 } }\nteam: day\n");
    write(
        "site/a.yaml",
        "kind: override\ntree: a\nset: { severity: minor, hold: 1m, team: night }\n");

    RuleFiles files = read();

    assertThat(files.problems()).isEmpty();
    FaultTree tree = files.trees().get(0);
    assertThat(tree.severity()).isEqualTo(Severity.SEVERITY_MINOR);
    assertThat(tree.holdNanos()).isEqualTo(60 * Nanos.PER_SECOND);
    assertThat(tree.labels()).isEqualTo(Map.of("team", "night"));
  }

  @Test
  void anOverrideOfATreeThatIsARuleOrHasOtherFieldsIsRefused() throws IOException {
    write("a.yaml", "kind: tree\nname: a\ntop: { alert: { device: d1 } }\n");
    write("site/a.yaml", "kind: override\nrule: a\nset: { severity: minor }\n");
    write("site/b.yaml", "kind: override\ntree: a\nset: { expires: 1d }\n");

    assertThat(read().problems())
        .extracting(Throwable::getMessage)
        .containsExactly(
            folder.resolve("site/b.yaml")
                + ":3: 'set' has no key 'expires'; it may also have enabled, hold, labels,"
                + " redundancy_lost, runbook, severity, site, team",
            folder.resolve("site/a.yaml")
                + ":2: no rule 'a' in these files: an override is read together with the rule that"
                + " it changes");
  }

  @Test
  void aTemplateMakesATreeOfEachSiteInAnInventory() throws IOException {
    write(
        "uplinks.yaml",
        """
        kind: tree-template
        name: uplinks-{site}
        inventory: uplinks.csv
        severity: critical
        site: "{site}"
        top:
          all:
            each: { alert: { device: "{device}", check: link, labels.interface: "{interface}" } }
        """);
    write(
        "uplinks.csv",
        "# who leads where\nsite, device, interface\nzrh, r1, Gi0\nbrn, r9, Gi1\nzrh, r2, Gi0\n");

    RuleFiles files = read();

    assertThat(files.problems()).isEmpty();
    assertThat(files.trees())
        .extracting(FaultTree::name)
        .containsExactly("uplinks-brn", "uplinks-zrh");
    FaultTree zurich = files.trees().get(1);
    assertThat(zurich.site()).isEqualTo("zrh");
    TreeGate top = (TreeGate) zurich.top();
    assertThat(top.atLeast()).isEqualTo(2);
    assertThat(((AlertLeaf) top.children().get(1)).alerts())
        .hasToString("{check=[link], device=[r2], labels.interface=[Gi0]}");
    assertThat(files.documents().get("uplinks-zrh").text().text())
        .startsWith("kind: tree\nname: \"uplinks-zrh\"\nseverity: \"critical\"\n");
  }

  @Test
  void aTemplateMakesAnArrayOfDisksWithSpares() throws IOException {
    write("arrays.yaml", arrays("more_than: \"{spare}\""));

    RuleFiles files = read();

    assertThat(files.problems()).isEmpty();
    assertThat(((TreeGate) files.trees().get(0).top()).atLeast()).isEqualTo(2);
  }

  @Test
  void aTemplateThatCannotBeFilledIsRefusedWithFileAndLine() throws IOException {
    write("a.yaml", arrays("more_than: \"{disk}\""));
    write("b.yaml", arrays("more_than: \"{spares}\"").replace("array-", "other-"));
    write("c.yaml", arrays("at_least: 4").replace("array-", "third-"));
    write(
        "d.yaml",
        "kind: tree-template\nname: d-{a}\ninventory: gone.csv\ntop: { alert: { device: x } }\n");
    write("e.yaml", arrays("at_least: 1").replace("array-{array}", "array"));

    assertThat(read().problems())
        .extracting(Throwable::getMessage)
        .containsExactly(
            folder.resolve("a.yaml")
                + ":8: '{disk}' is not the same in all rows of array-a7: put it under 'each'",
            folder.resolve("b.yaml")
                + ":8: the inventory has no column 'spares': it has [array, disk, spare]",
            folder.resolve("c.yaml")
                + ":1: the tree of name: \"third-a7\": the gate wants 4 of 3, and could never be true",
            folder.resolve("gone.csv") + ":1: cannot be read: " + folder.resolve("gone.csv"),
            folder.resolve("e.yaml")
                + ":2: 'name' has no field: give one in braces, and each value of it makes a tree");
  }

  private static String arrays(String gate) {
    return """
        kind: tree-template
        name: array-{array}
        rows:
          - { array: a7, disk: d1, spare: 1 }
          - { array: a7, disk: d2, spare: 1 }
          - { array: a7, disk: d3, spare: 1 }
        top:
          %s
          of: { each: { alert: { device: "{disk}", check: disk } } }
        """
        .formatted(gate);
  }

  private RuleFiles read() {
    return RuleFiles.read(List.of(folder));
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
