package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.alerts.MaintenanceWindow;
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

    assertThat(window.isActiveAt(window.startsAtUnixNanos())).isTrue();
    assertThat(window.endsAtUnixNanos() - window.startsAtUnixNanos())
        .isEqualTo(4 * 3_600 * 1_000_000_000L);
    Alert alert = Alert.newBuilder().setDevice("edge-7").putLabels("room", "b4").build();
    assertThat(window.alerts().matches(alert)).isTrue();
    assertThat(window.alerts().matches(alert.toBuilder().setDevice("core").build())).isFalse();
    assertThat(Silence.of(record).orElseThrow())
        .isEqualTo(
            new Silence(
                "w",
                window.alerts().toString(),
                TEN,
                TWO,
                "ticket: \"4711\"\n# and more",
                "tocsin-rules silence, somebody"));
  }

  @Test
  void whatWouldSilenceEverythingOrNothingIsRefused() {
    assertThatThrownBy(() -> Silence.yaml("w", Map.of(), TEN, TWO, "x"))
        .hasMessageContaining("every alert would be meant");
    assertThatThrownBy(() -> Silence.yaml("w", EDGES, TWO, TEN, "x"))
        .hasMessageContaining("let it end later");
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
    List<Silence> all = SilenceListCommand.all(new RulesTopic.Contents(documents, Set.of(), 4));

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
        name, Silence.yaml(name, alerts, starts, ends, why), "tocsin-rules silence, somebody", TEN);
  }
}
