package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.rules.document.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder of rules with a site's own folder in it. */
class RuleFilesTest {
  @TempDir private Path folder;

  @BeforeEach
  void writeRules() throws IOException {
    write("shipped.yaml", rule("link") + "---\n" + rule("fan"));
  }

  @Test
  void anOverrideChangesWhatIsPushedAndNotWhatTheExamplesProve() throws IOException {
    write("site/links.yaml", override("link", "severity: major"));

    RuleFiles files = read();

    assertThat(files.problems()).isEmpty();
    RuleFiles.Loaded link = files.documents().get("link");
    assertThat(severityOf(link.document())).isEqualTo(Severity.SEVERITY_MAJOR);
    assertThat(severityOf(link.written())).isEqualTo(Severity.SEVERITY_MINOR);
    assertThat(link.text().origin())
        .isEqualTo(
            folder.resolve("site/links.yaml")
                + ":1 sets severity of "
                + folder.resolve("shipped.yaml")
                + ":1");
    assertThat(files.documents().get("fan").text().origin()).endsWith("shipped.yaml:8");
  }

  @Test
  void severalOverridesOfOneRuleAddUp() throws IOException {
    write("site/a.yaml", override("link", "severity: major"));
    write("site/b.yaml", override("link", "team: night"));

    RuleFiles files = read();

    Rule link = (Rule) files.documents().get("link").document();
    assertThat(severityOf(link)).isEqualTo(Severity.SEVERITY_MAJOR);
    assertThat(link.team()).isEqualTo("night");
  }

  @Test
  void aVolumeOfAConfigMapIsReadOnce() throws IOException {
    write("site/..2026_11_23/links.yaml", override("link", "severity: major"));
    Path site = folder.resolve("site");
    Files.createSymbolicLink(site.resolve("..data"), Path.of("..2026_11_23"));
    Files.createSymbolicLink(site.resolve("links.yaml"), Path.of("..data/links.yaml"));

    RuleFiles files = read();

    assertThat(files.problems()).isEmpty();
    assertThat(files.overrides()).hasSize(1);
  }

  @Test
  void aDisabledRuleIsNoLongerThere() throws IOException {
    write("site/a.yaml", override("link", "enabled: false"));

    RuleFiles files = read();

    assertThat(files.documents()).containsOnlyKeys("fan");
    assertThat(files.disabled()).containsExactly("link");
  }

  @Test
  void anUnknownRuleAndAFieldThatIsSetTwiceAreRefusedWithFileAndLine() throws IOException {
    write("site/a.yaml", override("lnik", "severity: major"));
    write("site/b.yaml", override("fan", "severity: major"));
    write("site/c.yaml", override("fan", "severity: critical"));

    assertThat(read().problems())
        .extracting(Throwable::getMessage)
        .containsExactly(
            folder.resolve("site/a.yaml")
                + ":2: no rule 'lnik' in these files: an override is read together with the rule"
                + " that it changes",
            folder.resolve("site/c.yaml")
                + ":4: 'severity' of 'fan' is set by "
                + folder.resolve("site/b.yaml")
                + ":1");
  }

  @Test
  void aRuleOfASiteCannotTakeAShippedName() throws IOException {
    write("site/link.yaml", rule("link"));

    assertThat(read().problems())
        .extracting(Throwable::getMessage)
        .containsExactly(
            folder.resolve("site/link.yaml")
                + ":1: the name 'link' is taken by "
                + folder.resolve("shipped.yaml")
                + ":1");
  }

  private RuleFiles read() {
    return RuleFiles.read(List.of(folder));
  }

  private static Severity severityOf(Object rule) {
    return ((Rule) rule).clauses().get(0).severity().otherwise();
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static String override(String rule, String field) {
    return "kind: override\nrule: " + rule + "\nset:\n  " + field + "\n";
  }

  private static String rule(String name) {
    return """
        kind: rule
        name: %s
        fingerprint: [device]
        severity: minor
        summary: s
        clauses: [{ signal: raise, syslog: { app_name: x } }]
        """
        .formatted(name);
  }
}
