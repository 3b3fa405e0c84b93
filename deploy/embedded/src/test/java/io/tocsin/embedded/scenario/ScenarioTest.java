package io.tocsin.embedded.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private Scenario read(String yaml) throws IOException {
    Files.writeString(folder.resolve("scenario.yaml"), yaml);
    return Scenario.read(folder);
  }

  @Test
  void everyCommittedScenarioCanBeRead() {
    Path scenarios = Tools.find().scenarios();
    assertThat(Scenario.names(scenarios))
        .contains("burst-500", "ordinary-syslog", "malformed")
        .allSatisfy(
            name -> assertThat(Scenario.read(scenarios.resolve(name)).title()).isNotBlank());
  }

  @Test
  void noCommittedScenarioTakesAnEmptyBalanceSheetForAClosedOne() {
    Path scenarios = Tools.find().scenarios();
    assertThat(Scenario.names(scenarios))
        .flatMap(name -> Scenario.read(scenarios.resolve(name)).expect())
        .filteredOn(expectation -> expectation.sql().contains("tocsin.balance"))
        .isNotEmpty()
        .allSatisfy(
            expectation -> {
              assertThat(expectation.holds(JSON.readTree("[[0]]"))).isFalse();
              assertThat(expectation.holds(JSON.readTree("[[0,0]]"))).isFalse();
            });
  }

  @Test
  void keysThatAreLeftOutHaveDefaults() throws IOException {
    Scenario scenario =
        read(
            """
            story: s
            title: t
            send: [{generate: syslog-udp, count: 100, rate: 50, seed: 7}]
            expect: [{name: n, sql: SELECT 1, equals: [[1]]}]
            """);
    assertThat(scenario.withinSeconds()).isEqualTo(30);
    assertThat(scenario.never()).isEmpty();
    assertThat(scenario.agent().isEmpty()).isTrue();
    assertThat(scenario.send().get(0).arguments())
        .isEqualTo(
            List.of("--generate", "syslog-udp", "--count", "100", "--seed", "7", "--rate", "50.0"));
  }

  @Test
  void eventsFileIsFoundInTheScenariosFolder() throws IOException {
    Path file = Files.writeString(folder.resolve("e.jsonl"), "{}\n");
    String rest = "story: s\ntitle: t\nexpect: [{name: n, sql: SELECT 1, equals: [[1]]}]\n";
    Scenario scenario = read(rest + "send: [{file: e.jsonl, full_speed: true}]");
    assertThat(scenario.send().get(0).arguments())
        .isEqualTo(List.of(file.toString(), "--full-speed"));
    assertThatThrownBy(() -> read(rest + "send: [{file: f.jsonl}]"))
        .hasMessageContaining("f.jsonl, which is not there");
    assertThatThrownBy(() -> read(rest + "send: [{rate: 1}]"))
        .hasMessageContaining("one of file, generate, rules, says, until");
  }

  @Test
  void rulesArePushedFromTheScenariosFolderAndUntilStandsAloneOrBesideAFile() throws IOException {
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(folder.resolve("e.jsonl"), "{}\n");
    String rest = "story: s\ntitle: t\nexpect: [{name: n, sql: SELECT 1, equals: [[1]]}]\n";
    String until = "until: {name: it is so, sql: SELECT 1, equals: [[1]]}";
    Scenario scenario =
        read(rest + "send: [{rules: rules}, {%s}, {file: e.jsonl, %s}]".formatted(until, until));
    assertThat(scenario.send())
        .extracting(Step::summary)
        .containsExactly("pushing rules", "waiting until it is so", "sending e.jsonl");
    assertThat(scenario.send().get(0).rules()).isEqualTo(rules.toString());
    assertThatThrownBy(() -> read(rest + "send: [{rules: others}]"))
        .hasMessageContaining("others, which is not there");
    assertThatThrownBy(() -> read(rest + "send: [{rules: rules, %s}]".formatted(until)))
        .hasMessageContaining("until stands alone or beside file");
  }

  @Test
  void unknownKeyAndMissingKeyAreRefused() {
    String good =
        "story: s\ntitle: t\nsend: [{generate: alert-udp}]\nexpect: [{name: n, sql: SELECT 1, equals: [[1]]}]\n";
    assertThatThrownBy(() -> read(good + "expects: []"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("scenario.yaml")
        .hasMessageContaining("expects");
    assertThatThrownBy(() -> read(good.replace("title: t\n", ""))).hasMessageContaining("title");
    assertThatThrownBy(() -> read(good.replace("sql: SELECT 1, ", ""))).hasMessageContaining("sql");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[[500]]            | [[500]]            | true",
        "[[500]]            | [[500.0]]          | true",
        "[[500]]            | [[499]]            | false",
        "[[500]]            | [['500']]          | false",
        "[[true]]           | [[1]]              | true",
        "[['a',1],['b',2]]  | [['a',1],['b',2]]  | true",
        "[['a',1],['b',2]]  | [['b',2],['a',1]]  | false",
        "[['a',1]]          | [['a',1],['b',2]]  | false",
        "[]                 | []                 | true",
        "[[{'k':1}]]        | [[{'k':1.0}]]      | true",
        "[[null]]           | [[null]]           | true",
        "[[null]]           | [[0]]              | false"
      },
      quoteCharacter = '~')
  void rowsAreComparedByValueAndInOrder(String expected, String actual, boolean holds)
      throws IOException {
    Expectation expectation =
        new Expectation("n", "SELECT 1", JSON.readTree(expected.replace('\'', '"')));
    assertThat(expectation.holds(JSON.readTree(actual.replace('\'', '"')))).isEqualTo(holds);
  }
}
