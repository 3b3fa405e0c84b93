package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.alerts.MaintenanceWindow;
import io.tocsin.correlation.calendar.Occurrence;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SilenceTest {
  private static final Instant TEN = Instant.parse("2026-11-24T22:00:00Z");
  private static final Instant TWO = Instant.parse("2026-11-25T02:00:00Z");
  private static final Map<String, List<String>> EDGES =
      Map.of("device", List.of("edge*"), "labels.room", List.of("b4"));

  @Test
  void aSilenceIsAMaintenanceWindowThatTheJobUnderstands() {
    RuleDocument record = record("w", EDGES, TEN, TWO, "ticket: \"4711\"\n# and more");

    MaintenanceWindow window = (MaintenanceWindow) RuleBook.policy(record).orElseThrow();

    assertThat(window.occurrences()).isEqualTo(new Occurrence(Nanos.of(TEN), Nanos.of(TWO)));
    Alert alert = Alert.newBuilder().setDevice("edge-7").putLabels("room", "b4").build();
    assertThat(window.alerts().matches(alert)).isTrue();
    assertThat(window.alerts().matches(alert.toBuilder().setDevice("core").build())).isFalse();
    Silence silence = Silence.of(record).orElseThrow();
    assertThat(silence.name()).isEqualTo("w");
    assertThat(silence.repeats()).isEqualTo("once");
    assertThat(silence.why()).isEqualTo("ticket: \"4711\"\n# and more");
    assertThat(silence.origin()).isEqualTo("tocsin-rules silence, somebody");
  }

  @Test
  void aSilenceOfEveryWeekIsOneByTheClocksOfItsPlace() {
    Map<String, String> keys =
        times(
                "--zone=Europe/Berlin --from=2026-11-24 23:00 --for=4h --repeats=FREQ=WEEKLY;BYDAY=TU")
            .keys(TEN);
    RuleDocument record =
        RulesTopic.document("w", Silence.yaml("w", EDGES, keys, "x"), "somebody", TEN);

    Silence silence = Silence.of(record).orElseThrow();
    assertThat(silence.repeats()).isEqualTo("FREQ=WEEKLY;BYDAY=TU");
    assertThat(silence.next(TEN)).contains(new Occurrence(Nanos.of(TEN), Nanos.of(TWO)));
    assertThat(silence.stateAt(TWO)).isEqualTo("in 6 d 20 h");
    assertThat(silence.stateAt(Instant.parse("2027-07-20T21:00:00Z")))
        .isEqualTo("on, 4 h 0 min left");
  }

  @Test
  void theLookAheadSaysWhenAndWhichOpenAlerts() {
    Map<String, String> keys =
        Map.of(
            "zone",
            "Europe/Berlin",
            "starts",
            "2027-03-21T02:00",
            "ends",
            "2027-03-21T04:00",
            "repeats",
            "FREQ=WEEKLY;COUNT=12");
    Silence silence =
        Silence.of(RulesTopic.document("w", Silence.yaml("w", EDGES, keys, "x"), "somebody", TEN))
            .orElseThrow();
    Alert minor =
        Alert.newBuilder()
            .setSeverity(Severity.SEVERITY_MINOR)
            .setDevice("edge-1")
            .setCheck("fan")
            .setSummary("fan \u001b[2J slow")
            .build();
    Alert critical = minor.toBuilder().setSeverity(Severity.SEVERITY_CRITICAL).build();
    StringWriter text = new StringWriter();

    LookAhead.print(silence, List.of(minor, critical), TEN, new PrintWriter(text, true));

    assertThat(text.toString().lines())
        .hasSize(15)
        .contains(
            "  Sun 2027-03-21 02:00:00 +01:00  until  Sun 2027-03-21 04:00:00 +01:00",
            "  Sun 2027-03-28 03:00:00 +02:00  until  Sun 2027-03-28 04:00:00 +02:00",
            "  Sun 2027-04-04 02:00:00 +02:00  until  Sun 2027-04-04 04:00:00 +02:00")
        .containsSequence(
            "  and so on",
            "2 open alerts:",
            "  critical  edge-1  fan  fan \uFFFD[2J slow",
            "  minor  edge-1  fan  fan \uFFFD[2J slow");
    assertThat(text.toString()).startsWith("w covers ").contains("FREQ=WEEKLY;COUNT=12");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-24T21:40:30Z, in 20 min",
    "2026-11-24T22:00:00Z, 'on, 4 h 0 min left'",
    "2026-11-25T01:59:59Z, 'on, 1 min left'",
    "2026-11-25T02:00:00Z, over",
    "2026-11-20T22:00:00Z, in 4 d 0 h"
  })
  void itsStateIsToldAsPeopleSayIt(Instant now, String state) {
    assertThat(Silence.of(record("w", EDGES, TEN, TWO, "x")).orElseThrow().stateAt(now))
        .isEqualTo(state);
  }

  @ParameterizedTest
  @CsvSource({
    "--for=2h,                              2026-11-24T21:00:00Z, 2026-11-24T23:00:00Z",
    "--for=1h30m,                           2026-11-24T21:00:00Z, 2026-11-24T22:30:00Z",
    "--for=1d,                              2026-11-24T21:00:00Z, 2026-11-25T21:00:00Z",
    "--until=2026-11-24 23:30,              2026-11-24T21:00:00Z, 2026-11-24T22:30:00Z",
    "--from=2026-11-24 23:00 --for=2h,      2026-11-24T22:00:00Z, 2026-11-25T00:00:00Z",
    "--from=2026-07-24T23:00 --for=2h,      2026-07-24T21:00:00Z, 2026-07-24T23:00:00Z",
    "--from=2026-11-24t23:00:30z --for=90s, 2026-11-24T23:00:30Z, 2026-11-24T23:02:00Z",
    "--from=2026-11-24T23:00+03:00 --for=2h, 2026-11-24T20:00:00Z, 2026-11-24T22:00:00Z"
  })
  void timesAreUnderstoodInTheirZone(String options, Instant starts, Instant ends) {
    SilenceTimes times = times("--zone=Europe/Berlin " + options);

    assertThat(times.starts(Instant.parse("2026-11-24T21:00:00Z"))).isEqualTo(starts);
    assertThat(times.ends(starts)).isEqualTo(ends);
  }

  @ParameterizedTest
  @CsvSource({
    "--until=tomorrow,                    no time",
    "--zone=UTC,                          not said how long",
    "--for=2h --until=2026-11-24 23:30,   not said how long"
  })
  void whatIsNoTimeIsRefused(String options, String reason) {
    assertThatThrownBy(() -> times(options).ends(TEN))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource({"2", "2x", "-2h", "0s", "h", "''", "2h1d"})
  void whatIsNoLengthIsRefused(String length) {
    assertThatThrownBy(() -> times("--for=" + length)).hasMessageContaining("is no length");
  }

  @Test
  void theListHasWhatIsOnAndToComeByItsEndAndCountsTheRest() {
    Instant now = TEN.plusSeconds(60);
    Map<String, RuleDocument> documents = new TreeMap<>();
    for (RuleDocument record :
        List.of(
            record("later", EDGES, TWO, TWO.plusSeconds(60), "b"),
            record("now", EDGES, TEN, TWO, "a"),
            record("past", EDGES, TEN.minusSeconds(60), TEN, "c"),
            RulesTopic.document("broken", "kind: maintenance\nname: broken\n", "x", TEN))) {
      documents.put(record.getName(), record);
    }
    List<Silence> all =
        SilenceListCommand.all(new RulesTopic.Contents(documents, Set.of(), 4), now);

    assertThat(all).extracting(Silence::name).containsExactly("past", "now", "later");
    assertThat(printed(all, now, false))
        .hasSize(4)
        .satisfies(
            lines -> {
              assertThat(lines.get(1)).startsWith("now ").contains("3 h 59 min left", "a (tocsin");
              assertThat(lines.get(2)).startsWith("later ").contains("in 3 h 59 min");
              assertThat(lines.get(3)).startsWith("1 that are over");
            });
    assertThat(printed(all, now, true)).hasSize(4);
    assertThat(printed(List.of(), now, true)).containsExactly("nothing is silenced");
  }

  @ParameterizedTest
  @CsvSource({
    "--device=a --for=2h,                                      64",
    "--for=2h --why=x,                                         64",
    "--device=a --why=x,                                       64",
    "--device=a --why=x --for=2h --name=Upper,                 64",
    "--why=x --for=2h,                                         64",
    "--device=a --why=x --for=2h --repeats=FREQ=HOURLY,        64",
    "--device=a --why=x --for=800h --repeats=FREQ=YEARLY,      64",
    "show,                                                     64",
    "--device=a --why=x --from=2020-01-01T00:00Z --for=2h,     64",
    "remove,                                                   64",
    "--help,                                                    0"
  })
  void anUnusableCommandLineSaysWhatToGiveBeforeKafkaIsAsked(String options, int exitCode) {
    assertThat(Main.run(("silence " + options).split(" "))).isEqualTo(exitCode);
  }

  private static List<String> printed(List<Silence> silences, Instant now, boolean isAll) {
    StringWriter text = new StringWriter();
    SilenceListCommand.print(silences, now, isAll, new PrintWriter(text, true));
    return text.toString().lines().toList();
  }

  private static SilenceTimes times(String options) {
    SilenceTimes times = new SilenceTimes();
    CommandLine commandLine =
        new CommandLine(
            CommandLine.Model.CommandSpec.create()
                .addMixin("times", CommandLine.Model.CommandSpec.forAnnotatedObject(times)));
    commandLine.parseArgs(options.split(" (?=--)"));
    return times;
  }

  private static RuleDocument record(
      String name, Map<String, List<String>> alerts, Instant starts, Instant ends, String why) {
    return RulesTopic.document(
        name,
        Silence.yaml(
            name, alerts, Map.of("starts", starts.toString(), "ends", ends.toString()), why),
        "tocsin-rules silence, somebody",
        TEN);
  }
}
