package io.tocsin.embedded.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.FetchedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of deploy/alertmanager, read by amtool. */
class AlertmanagerRoutesTest {
  private static final Path FOLDER = Path.of("..", "alertmanager");

  private static FetchedProgram amtool;

  @TempDir private Path folder;

  /** Debian's 0.25 knows neither Teams nor every file of a secret. */
  private static final Pattern TOO_OLD = Pattern.compile("version 0\\.(1?[0-9]|2[0-7])\\.");

  @BeforeAll
  static void find() throws Exception {
    amtool = find("amtool");
  }

  /**
   * A program of an Alertmanager that knows all of production.yml; otherwise the test is skipped.
   */
  static FetchedProgram find(String name) throws IOException, InterruptedException {
    FetchedProgram program = FetchedProgram.find(name, "alertmanager", "alertmanager");
    String version = program.run(Path.of("."), "--version").lines().findFirst().orElse("");
    if (TOO_OLD.matcher(version).find()) {
      FetchedProgram.skip("production.yml is for Alertmanager 0.28 on: " + version);
    }
    return program;
  }

  @ParameterizedTest
  @ValueSource(strings = {"alertmanager.yml", "production.yml"})
  void amtoolTakesTheFileAndItsTemplates(String name) throws Exception {
    assertThat(run("check-config", local(name).toString())).contains("SUCCESS");
  }

  @ParameterizedTest
  @CsvSource({
    "severity=critical, 'page-recorder,pagerduty'",
    "alertname=acknowledged source=tocsin severity=critical, nobody",
    "alertname=heartbeat source=tocsin-heartbeat site=zrh-1 severity=warning, heartbeat",
    "severity=major, 'page-recorder,pagerduty'",
    "severity=warning, 'page-recorder,slack'",
    "severity=indeterminate, 'page-recorder,slack'",
    "alertname=pager-unreachable source=tocsin-pipeline severity=critical, 'page-recorder,every-way'",
    "alertname=storm severity=minor, 'page-recorder,pagerduty'",
    "team=dhcp severity=minor, 'page-recorder,slack-dhcp'",
    "team=dhcp severity=critical, 'page-recorder,opsgenie-dhcp'",
    "site=zrh-1 severity=critical, 'page-recorder,opsgenie-zurich,pagerduty'",
    "site=zrh-1 severity=minor, 'page-recorder,slack'"
  })
  void alertGoesToWhomItConcerns(String labels, String receivers) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of("config", "routes", "test", "--config.file=" + local("production.yml")));
    arguments.addAll(List.of(labels.split(" ")));

    assertThat(run(arguments.toArray(String[]::new)).strip()).isEqualTo(receivers);
  }

  @Test
  void heartbeatGoesToItsReceiverAloneInTheEmbeddedStackToo() throws Exception {
    String config = "--config.file=" + local("alertmanager.yml");

    assertThat(run("config", "routes", "test", config, "source=tocsin-heartbeat").strip())
        .isEqualTo("heartbeat");
    assertThat(run("config", "routes", "test", config, "source=hyak").strip())
        .isEqualTo("page-recorder");
  }

  @ParameterizedTest
  @CsvSource({
    "'critical', CRITICAL critical P1",
    "'minor major', MAJOR error P2",
    "'minor critical warning', CRITICAL critical P1",
    "'warning minor', MINOR warning P3",
    "'indeterminate', INDETERMINATE info P5",
    "'warning', WARNING warning P4",
    "'minor -critical', MINOR warning P3",
    "'-warning -major', MAJOR error P2"
  })
  void severityOfAGroupIsTheWorstOfThoseThatFire(String severities, String rendered)
      throws Exception {
    String alerts =
        Stream.of(severities.split(" "))
            .map(AlertmanagerRoutesTest::alert)
            .collect(Collectors.joining(","));
    String text =
        Stream.of("tocsin.severity", "tocsin.pagerduty.severity", "tocsin.opsgenie.priority")
            .map("{{ template \"%s\" . }}"::formatted)
            .collect(Collectors.joining(" "));

    assertThat(rendered(alerts, text)).isEqualTo(rendered);
  }

  private String rendered(String alerts, String text) throws IOException, InterruptedException {
    Path data =
        Files.writeString(
            folder.resolve("group.json"),
            "{\"status\":\"firing\",\"alerts\":[%s],\"groupLabels\":{},\"commonLabels\":{}}"
                .formatted(alerts));
    return run(
            "template",
            "render",
            "--template.glob=" + FOLDER.resolve("templates").resolve("*.tmpl"),
            "--template.data=" + data,
            "--template.text=" + text)
        .strip();
  }

  @Test
  void pageNamesTheFingerprintsOfTenThatFireAndWhoIsOnThem() throws Exception {
    String alerts =
        IntStream.range(0, 12)
            .mapToObj(
                number ->
                    """
                    {"status":"%s","labels":{"severity":"major","fingerprint":"f%d"},
                     "annotations":{"acknowledged_by":"ada","acknowledged_at":"noon","noted_by":"bob","note":"cable"}}"""
                        .formatted(number == 0 ? "resolved" : "firing", number))
            .collect(Collectors.joining(","));

    assertThat(rendered(alerts, "{{ template \"tocsin.fingerprints\" . }}"))
        .isEqualTo("f1,f2,f3,f4,f5,f6,f7,f8,f9,f10");
    assertThat(rendered(alerts, "{{ template \"tocsin.text\" . }}"))
        .contains("  ada is on it since noon\n  bob: cable\n");
  }

  @Test
  void pageOfAnAlertThatGrafanaRaisedSaysSinceWhenAndWhereToLook() throws Exception {
    String alert =
        """
        {"status":"firing","startsAt":"2026-11-20T12:00:00.5Z",
         "labels":{"severity":"critical","alertname":"An agent is silent","device":"edge-1","source":"tocsin-pipeline"},
         "annotations":{"summary":"edge-1 has reported nothing for 61 seconds",
           "dashboard":"https://g.example/d/tocsin-pipeline-balance?viewPanel=8","runbook":"https://g.example/d/tocsin-runbook-agent-silent"}}""";

    assertThat(rendered(alert, "{{ template \"tocsin.text\" . }}"))
        .isEqualTo(
            """
            CRITICAL An agent is silent on edge-1: edge-1 has reported nothing for 61 seconds
              since 2026-11-20T12:00:00Z
              dashboard https://g.example/d/tocsin-pipeline-balance?viewPanel=8
              runbook https://g.example/d/tocsin-runbook-agent-silent""");
  }

  /** An alert that fires; with a minus before its severity, one that is over. */
  private static String alert(String severity) {
    boolean isOver = severity.startsWith("-");
    return "{\"status\":\"%s\",\"labels\":{\"severity\":\"%s\"},\"annotations\":{}}"
        .formatted(isOver ? "resolved" : "firing", isOver ? severity.substring(1) : severity);
  }

  @Test
  void noSecretStandsInTheFiles() throws IOException {
    String text = Files.readString(FOLDER.resolve("production.yml"));

    assertThat(text.lines().map(String::strip))
        .noneMatch(
            line ->
                line.matches("(- )?(routing_key|service_key|api_key|api_url|auth_password):.*"));
  }

  /** With the templates where they lie in the checkout. */
  private Path local(String name) throws IOException {
    String templates = FOLDER.toAbsolutePath().normalize().resolve("templates").toString();
    return Files.writeString(
        folder.resolve(name),
        Files.readString(FOLDER.resolve(name)).replace("/etc/alertmanager/templates", templates));
  }

  private static String run(String... arguments) throws IOException, InterruptedException {
    return amtool.run(Path.of("."), arguments);
  }
}
