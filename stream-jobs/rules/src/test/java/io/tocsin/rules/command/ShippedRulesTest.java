package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.document.RuleOverride;
import io.tocsin.rules.document.SeverityChoice;
import io.tocsin.rules.document.TreeTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of deploy/rules: usable, true to their examples and to the schema, with runbooks. */
class ShippedRulesTest {
  private static final Path FOLDER = Path.of(System.getProperty("tocsin.rules"));
  private static final Path RUNBOOKS = Path.of(System.getProperty("tocsin.runbooks"));
  private static final Path BINARY = Path.of(System.getProperty("tocsin.binary"));

  private static RuleFiles shipped() {
    RuleFiles files = RuleFiles.read(List.of(FOLDER));
    assertThat(files.problems()).extracting(DocumentException::getMessage).isEmpty();
    return files;
  }

  @Test
  void everyExampleHolds() {
    requireBinary();
    ExampleRun run = ExampleRun.of(shipped(), new SyslogParser(BINARY.toString()));
    assertThat(run.problems()).extracting(DocumentException::getMessage).isEmpty();
    assertThat(run.played()).isGreaterThan(100);
  }

  @Test
  void everyRuleHasExamplesADescriptionInTheFileAndARunbook() {
    for (RuleFiles.Loaded loaded : shipped().documents().values()) {
      Rule rule = (Rule) loaded.document();
      assertThat(rule.examples()).as("examples of %s", rule.name()).isNotEmpty();
      assertThat(rule.runbook()).as("runbook of %s", rule.name()).isNotEmpty();
      assertThat(RUNBOOKS.resolve(rule.runbook() + ".md")).isRegularFile();
      assertThat(loaded.text().text()).contains("\ndescription: ");
    }
  }

  @Test
  void everyDocumentIsWhatTheSchemaSays() throws IOException {
    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    for (RuleFiles.Loaded loaded : shipped().documents().values()) {
      assertThat(schema().validate(yaml.readTree(loaded.text().text())))
          .as(loaded.text().origin())
          .isEmpty();
    }
  }

  @Test
  void whatTheReadmesShowIsUsableAndWhatTheSchemaSays(@TempDir Path folder) throws IOException {
    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    List<DocumentText> shown = new ArrayList<>(documentsIn("README.md"));
    shown.addAll(documentsIn("site/README.md"));
    shown.addAll(documentsIn("trees/README.md"));
    DocumentText uplinks =
        new DocumentText("uplinks.csv", 1, "site,device,interface\nzrh,r1,Gi0\n");
    for (DocumentText text : shown) {
      assertThat(schema().validate(yaml.readTree(text.text()))).as(text.origin()).isEmpty();
      switch (DocumentLoader.kindOf(text)) {
        case RuleOverride.KIND -> RuleOverride.load(text);
        case TreeTemplate.KIND ->
            TreeTemplate.expand(text, name -> uplinks).forEach(DocumentLoader::load);
        default -> DocumentLoader.load(text);
      }
    }
    Path site = folder.resolve("site.yaml");
    Files.writeString(
        site,
        documentsIn("site/README.md").stream()
            .map(DocumentText::text)
            .collect(Collectors.joining("---\n")));
    RuleFiles files = RuleFiles.read(List.of(FOLDER, site));
    assertThat(files.problems()).extracting(DocumentException::getMessage).isEmpty();
    assertThat(files.overrides()).hasSize(3);
    assertThat(files.disabled()).hasSize(1);
  }

  /** What stands between "```yaml" and "```" in a README. */
  private static List<DocumentText> documentsIn(String readme) throws IOException {
    Matcher blocks =
        Pattern.compile("(?ms)^```yaml\n(.*?)^```$")
            .matcher(Files.readString(FOLDER.resolve(readme)));
    List<DocumentText> documents = new ArrayList<>();
    while (blocks.find()) {
      documents.addAll(DocumentText.split(readme, blocks.group(1)));
    }
    assertThat(documents).as(readme).isNotEmpty();
    return documents;
  }

  @Test
  void folderThatInitStartsIsUsableAndOverwritesNothing(@TempDir Path folder) throws IOException {
    Path site = folder.resolve("my-rules");
    assertThat(Main.run("init", site.toString())).isZero();
    assertThat(Main.run("init", site.toString())).isEqualTo(1);

    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    for (String name : List.of("uplinks.yaml", "fan.yaml")) {
      assertThat(schema().validate(yaml.readTree(site.resolve(name).toFile()))).as(name).isEmpty();
    }
    assertThat(site.resolve("rules.schema.json"))
        .hasSameTextualContentAs(FOLDER.resolve("rules.schema.json"));
    RuleFiles files = RuleFiles.read(List.of(FOLDER, site));
    assertThat(files.problems()).extracting(DocumentException::getMessage).isEmpty();
    SeverityChoice severity =
        ((Rule) files.documents().get("link").document()).clauses().get(0).severity();
    assertThat(severity.of(Map.of("device", "acc-17", "interface", "TenGigabitEthernet1/1/1")))
        .isEqualTo(Severity.SEVERITY_MAJOR);
    assertThat(severity.of(Map.of("device", "acc-17", "interface", "GigabitEthernet1/0/7")))
        .isEqualTo(Severity.SEVERITY_MINOR);
    requireBinary();
    ExampleRun run = ExampleRun.of(files, new SyslogParser(BINARY.toString()));
    assertThat(run.problems()).extracting(DocumentException::getMessage).isEmpty();
  }

  @Test
  void theSchemaRefusesAKeyThatTheLoaderDoesNotKnow() throws IOException {
    String document =
        """
        {"kind": "rule", "name": "a", "fingerprint": ["device"], "summary": "s", "severty": "major",
         "clauses": [{"signal": "raise", "syslog": {"app_name": "x"}}]}
        """;
    assertThat(schema().validate(document, InputFormat.JSON)).isNotEmpty();
    assertThat(schema().validate(document.replace("severty", "severity"), InputFormat.JSON))
        .isEmpty();
  }

  private static JsonSchema schema() throws IOException {
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
        .getSchema(Files.readString(FOLDER.resolve("rules.schema.json")));
  }

  /** Syslog is read by the tocsin binary, which `make build` leaves; CI always has it. */
  private static void requireBinary() {
    if (!Files.isExecutable(BINARY)) {
      String reason = BINARY + " is missing: `make build` makes it";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(reason);
      }
      Assumptions.abort(reason);
    }
  }
}
