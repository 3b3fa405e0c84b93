package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import io.tocsin.events.v1.Syslog;
import io.tocsin.testsupport.Instants;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of rules whose difference is known. */
class ReplayCommandTest {
  private static final String FAN =
      """
      kind: rule
      name: fan
      fingerprint: [device]
      severity: minor
      summary: a fan of {device} stands still
      clauses:
        - { signal: raise, syslog: { pattern: 'fan stopped' } }
        - { signal: clear, syslog: { pattern: 'fan turns' } }
      """;
  private static final String HOT =
      """
      kind: rule
      name: hot
      fingerprint: [device]
      severity: major
      summary: "{device} has {value} degrees"
      clauses:
        - { gauge: { name: temperature, raise_above: 40, clear_below: 35 } }
      """;
  private static final String DOOR =
      """
      kind: rule
      name: door
      fingerprint: [device]
      severity: warning
      summary: the door of {device} is open
      clauses: [{ signal: raise, syslog: { pattern: 'door open' } }]
      """;

  @TempDir private Path folder;
  private final List<Event> events = new ArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void anHour() {
    syslog(10, "fan stopped");
    syslog(600, "fan turns");
    temperature(20, 41);
    temperature(80, 42);
    temperature(140, 52);
    temperature(3_000, 20);
    syslog(30, "door open");
  }

  @Test
  void theSameRulesGiveTheSamePages() throws IOException {
    assertThat(replay(FAN + "---\n" + HOT, FAN + "---\n" + HOT)).isZero();

    assertThat(out.toString()).contains("no page would be another one: 2 now, 2 with");
  }

  @Test
  void aNewRuleIsANewPage() throws IOException {
    assertThat(replay(FAN, FAN + "---\n" + DOOR)).isEqualTo(1);

    assertThat(line("door")).contains("T12:00:30Z", "new", "warning", "rule door is new");
  }

  @Test
  void aRuleThatIsTakenAwayIsAPageThatIsGone() throws IOException {
    assertThat(replay(FAN + "---\n" + DOOR, FAN)).isEqualTo(1);

    assertThat(line("door")).contains("gone", "no signal raises it any more; rule door is removed");
  }

  @Test
  void anotherSeverityIsTold() throws IOException {
    assertThat(replay(FAN, FAN.replace("severity: minor", "severity: critical"))).isEqualTo(1);

    assertThat(line("fan"))
        .contains("other severity", "severity minor, would be critical; rule fan is changed");
  }

  @Test
  void aHigherThresholdPagesLater() throws IOException {
    assertThat(replay(HOT, HOT.replace("raise_above: 40", "raise_above: 50"))).isEqualTo(1);

    assertThat(line("hot")).contains("T12:02:20Z", "later", "2m later; rule hot is changed");
  }

  @Test
  void aMaintenanceWindowTakesAPageAway() throws IOException {
    String work =
        """
        ---
        kind: maintenance
        name: fan-work
        starts: 2026-11-20T11:00:00Z
        ends: 2026-11-20T14:00:00Z
        alerts: { source: fan }
        """;

    assertThat(replay(FAN, FAN + work)).as(err.toString()).isEqualTo(1);

    assertThat(line("fan")).contains("gone", "maintenance fan-work");
  }

  @Test
  void whatIsToldUnderAnotherIsGroupedOtherwise() throws IOException {
    String behind =
        """
        ---
        kind: dependency
        name: behind-the-fan
        alerts: { source: hot }
        upstreams: [{ source: fan }]
        """;

    assertThat(replay(FAN + "---\n" + HOT, FAN + "---\n" + HOT + behind))
        .as(err.toString())
        .isEqualTo(1);

    assertThat(line("hot")).contains("later", "under dependency: fan sw1 fan");
  }

  @Test
  void aStormIsTheReasonForPagesOfItsMembers() throws IOException {
    for (int i = 0; i < 30; i++) {
      update(100, "node" + i);
    }

    int code = run(file("rules.yaml", FAN), file("same.yaml", FAN), "--storm-opens", "5");

    assertThat(code).isZero();
    assertThat(out.toString()).contains("2 now, 2 with");
  }

  @Test
  void aPageThatGoesUnderAStormSaysSo() throws IOException {
    String everyDoor = DOOR.replace("'door open'", "'door (open|ajar)'");
    for (int i = 0; i < 7; i++) {
      events.add(
          at(31)
              .setDevice("cabinet" + i)
              .setSyslog(Syslog.newBuilder().setMessage("door ajar"))
              .build());
    }

    int code = run(file("before.yaml", DOOR), file("after.yaml", everyDoor), "--storm-opens", "5");

    assertThat(code).as(err.toString()).isEqualTo(1);
    assertThat(line("door")).contains("other grouping", "under storm: door storm");
    assertThat(out.toString()).contains("door storm").doesNotContain("cabinet3");
  }

  @Test
  void aPageThatGoesUnderATreeSaysSo() throws IOException {
    String cooling =
        """
        ---
        kind: tree
        name: cooling
        top:
          all:
            - { alert: { source: fan, device: sw1 } }
            - { alert: { source: hot, device: sw1 } }
        """;

    assertThat(replay(FAN + "---\n" + HOT, FAN + "---\n" + HOT + cooling))
        .as(err.toString())
        .isEqualTo(1);

    assertThat(line("hot")).contains("other grouping", "under tree: tree cooling");
    assertThat(out.toString()).contains("tree cooling is new");
  }

  @Test
  void anotherKeyMergesAlerts() throws IOException {
    update(100, "node1");
    update(101, "node2");

    assertThat(run(file("rules.yaml", FAN), file("same.yaml", FAN), "--key", "source,check"))
        .isEqualTo(1);

    assertThat(out.toString())
        .contains("1 alerts that would be one:", "{check=node, source=hyak}", "device=node1");
  }

  @Test
  void anotherKeySplitsAlerts() throws IOException {
    syslog(20, "fan stopped");
    Event other = events.get(events.size() - 1).toBuilder().setSite("b").build();
    events.set(events.size() - 1, other);

    assertThat(run(file("rules.yaml", FAN), file("same.yaml", FAN), "--key", "device,site"))
        .isEqualTo(1);

    assertThat(out.toString()).contains("alerts that would be several:", "{device=sw1, site=b}");
  }

  @Test
  void theWarmUpIsPlayedAndNotCompared() throws IOException {
    String late = "2026-11-20T12:00:25Z";

    int code = run(file("a.yaml", FAN), file("b.yaml", FAN + "---\n" + HOT), "--from", late);

    assertThat(code).isZero();
    assertThat(out.toString()).contains("of 7 events", "before 2026-11-19T12:00:25Z");
  }

  @Test
  void jsonSaysTheSame() throws Exception {
    run(file("a.yaml", FAN), file("b.yaml", FAN + "---\n" + DOOR), "--format", "json");

    Struct.Builder report = Struct.newBuilder();
    JsonFormat.parser().merge(out.toString(), report);
    Struct difference =
        report.getFieldsOrThrow("differences").getListValue().getValues(0).getStructValue();
    assertThat(difference.getFieldsOrThrow("source").getStringValue()).isEqualTo("door");
    assertThat(difference.getFieldsOrThrow("kinds").getListValue().getValues(0).getStringValue())
        .isEqualTo("new");
    assertThat(difference.containsFields("before")).isFalse();
  }

  @Test
  void htmlEscapesWhatDevicesSay() throws IOException {
    String quoting =
        DOOR.replace("'door open'", "'door (?P<what>.*)'")
            .replace("the door of {device} is open", "'{what}'");
    syslog(40, "door <script>");

    int code = run(file("a.yaml", FAN), file("b.yaml", quoting), "--format", "html");
    assertThat(code).as(err.toString()).isEqualTo(1);

    assertThat(out.toString())
        .startsWith("<!doctype html>")
        .contains("<html lang=\"en\">", "<caption>", "scope=\"col\"")
        .doesNotContain("<script>");
  }

  @Test
  void aPageOfDifferencesIsAsItIsKept() throws IOException {
    String hotter = HOT.replace("raise_above: 40", "raise_above: 50");
    String after = FAN.replace("minor", "critical") + "---\n" + hotter + "---\n" + DOOR;

    run(file("a.yaml", FAN + "---\n" + HOT), file("b.yaml", after), "--format", "html");

    isAsKeptIn("replay.html");
  }

  @Test
  void aPageOfAnotherKeyIsAsItIsKept() throws IOException {
    update(100, "node1");
    update(101, "node2");
    Path rules = file("rules.yaml", FAN);

    run(rules, file("same.yaml", FAN), "--format", "html", "--key", "source,check");

    isAsKeptIn("replay-key.html");
  }

  /** The pages that {@code .ci/lint/axe.mjs} looks at. TOCSIN_WRITE_GOLDEN=1 writes them. */
  private void isAsKeptIn(String file) throws IOException {
    Path kept = Path.of("src/test/resources", file);
    if (System.getenv("TOCSIN_WRITE_GOLDEN") != null) {
      Files.writeString(kept, out.toString());
    }
    assertThat(kept).hasContent(out.toString());
  }

  @Test
  void whatCannotBePlayedIsTwo() throws IOException {
    assertThat(run(file("a.yaml", "kind: nothing\n"), file("b.yaml", FAN))).isEqualTo(2);
    assertThat(run(file("a.yaml", FAN), file("b.yaml", FAN), "--from", "2026-11-21T00:00:00Z"))
        .isEqualTo(2);
  }

  private int replay(String before, String after) throws IOException {
    return run(file("before.yaml", before), file("after.yaml", after));
  }

  private int run(Path before, Path after, String... more) throws IOException {
    Path lines = folder.resolve("events.jsonl");
    StringBuilder text = new StringBuilder();
    for (Event event : events) {
      text.append(JsonFormat.printer().omittingInsignificantWhitespace().print(event)).append('\n');
    }
    Files.writeString(lines, text);
    List<String> arguments = new ArrayList<>();
    if (!List.of(more).contains("--from")) {
      arguments.addAll(List.of("--from", "2026-11-20T11:00:00Z"));
    }
    arguments.addAll(0, List.of("replay", "--source", "file", "--events", lines.toString()));
    arguments.addAll(List.of("--to", "2026-11-20T14:00:00Z"));
    arguments.addAll(List.of("--rules", after.toString(), "--against", before.toString()));
    arguments.addAll(List.of(more));
    return Main.run(
        new PrintWriter(out, true), new PrintWriter(err, true), arguments.toArray(String[]::new));
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private String line(String source) {
    return out.toString()
        .lines()
        .filter(each -> each.contains("  " + source + " sw1"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nothing of " + source + ":\n" + out + err));
  }

  private Event.Builder at(int second) {
    long time = Nanos.of(Instants.NOON.plus(Duration.ofSeconds(second)));
    return Event.newBuilder()
        .setEventId("a-1-" + events.size())
        .setReceivedAtUnixNanos(time)
        .setEventTimeUnixNanos(time)
        .setDevice("sw1");
  }

  private void syslog(int second, String message) {
    events.add(at(second).setSyslog(Syslog.newBuilder().setMessage(message)).build());
  }

  private void temperature(int second, double degrees) {
    events.add(
        at(second).setGauge(Gauge.newBuilder().setName("temperature").setValue(degrees)).build());
  }

  private void update(int second, String device) {
    events.add(
        at(second)
            .setDevice(device)
            .setAlertUpdate(
                AlertUpdate.newBuilder()
                    .setAction(AlertUpdate.Action.ACTION_UPDATE)
                    .setSource("hyak")
                    .setCheck("node")
                    .setSeverity(Severity.SEVERITY_MAJOR))
            .build());
  }
}
