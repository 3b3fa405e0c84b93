package io.tocsin.rules.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.rules.match.GaugeMatch;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleOverrideTest {
  private static final String LINK =
      """
      # The links.
      kind: rule
      name: link
      fingerprint: [device]
      severity: minor # usually somebody at work
      labels:
        vendor: cisco
        layer: "1" # of seven

      summary: s
      clauses:
        - signal: raise
          severity: { field: app_name, words: { x: minor }, otherwise: warning }
          syslog: { app_name: x }
        - signal: raise
          syslog: { app_name: y }
        - signal: clear
          syslog: { app_name: "ü😀" }
      team: network
      """;

  private static final String LOAD =
      """
      kind: rule
      name: load
      fingerprint: [device, instance]
      clauses:
        - gauge: { name: load, of: limit, raise_above: 0.85, clear_below: 0.75 }
          summary: "{instance} of {device}"
      """;

  @Test
  void aSeverityIsThatOfEveryClause() {
    Rule rule = merged(LINK, "severity: major");

    assertThat(rule.clauses())
        .extracting(Clause::severity)
        .containsOnly(SeverityChoice.fixed(Severity.SEVERITY_MAJOR));
    assertThat(rule.team()).isEqualTo("network");
  }

  @Test
  void aSeverityByPatternsIsThatOfEveryClause() {
    Rule rule =
        merged(
            LINK,
            """
            severity:
                cases:
                  - { device: [core*, spine*], severity: critical }
                  - { app_name: x, device: "*-up", severity: major }
                otherwise: warning
            """);

    SeverityChoice choice = rule.clauses().get(1).severity();
    assertThat(rule.clauses()).extracting(Clause::severity).containsOnly(choice);
    assertThat(choice.of(Map.of("device", "spine2-up", "app_name", "x")))
        .isEqualTo(Severity.SEVERITY_CRITICAL);
    assertThat(choice.of(Map.of("device", "acc2-up", "app_name", "x")))
        .isEqualTo(Severity.SEVERITY_MAJOR);
    assertThat(choice.of(Map.of("device", "acc2-up"))).isEqualTo(Severity.SEVERITY_WARNING);
  }

  @Test
  void fieldsAreReplacedAndAddedAndLabelsThatAreNotNamedStay() {
    Rule rule =
        merged(
            LINK,
            "expires: 90s",
            "team: night",
            "runbook: https://wiki.example.org/link",
            "labels: { layer: two, rack: '{device}' }");

    assertThat(rule.expiresAfterSeconds()).isEqualTo(90);
    assertThat(rule.team()).isEqualTo("night");
    assertThat(rule.runbook()).isEqualTo("https://wiki.example.org/link");
    assertThat(rule.labels().keySet()).containsExactly("vendor", "layer", "rack");
    assertThat(rule.labels().get("layer")).hasToString("two");
    assertThat(rule.clauses()).hasSize(3);
  }

  @Test
  void theOneThresholdOfARuleIsChanged() {
    Rule rule = merged(LOAD, "raise_above: 0.95", "clear_below: 0.9", "consecutive: 3");

    assertThat(rule.clauses().get(0).match())
        .isInstanceOfSatisfying(
            GaugeMatch.class,
            match -> {
              assertThat(match.threshold().raiseAt()).isEqualTo(0.95);
              assertThat(match.threshold().clearAt()).isEqualTo(0.9);
              assertThat(match.threshold().consecutive()).isEqualTo(3);
              assertThat(match.isShareOfLimit()).isTrue();
            });
  }

  @Test
  void aRuleInBracesIsChangedToo() {
    Rule rule =
        merged(
            "{ kind: rule, name: a, fingerprint: [device], summary: s,\n"
                + "  clauses: [{ signal: raise, syslog: { app_name: x } }] }\n",
            "severity: critical");

    assertThat(rule.clauses().get(0).severity().otherwise()).isEqualTo(Severity.SEVERITY_CRITICAL);
  }

  @Test
  void everyOtherLineKeepsItsNumberAndTheTextNamesBothFiles() {
    DocumentText text = merge(LINK, "severity: major", "labels: { layer: two }", "expires: 1d");

    assertThat(text.origin())
        .isEqualTo("site.yaml:3 sets severity, labels, expires of link.yaml:7");
    assertThat(text.text().lines().toList())
        .contains("severity: \"major\" # usually somebody at work", "expires: \"1d\"");
    assertThat(lineOf(text.text(), "team: network")).isEqualTo(lineOf(LINK, "team: network"));
    assertThat(lineOf(text.text(), "clauses:")).isEqualTo(lineOf(LINK, "clauses:"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sevrity: major | 6: 'set' has no key 'sevrity'; it may also have clear_above, clear_below,",
        "severity: majr | 6: 'severity' is 'majr': give one of",
        "severity: { field: a, otherwise: minor } | 6: 'severity' needs 'words'",
        "enabled: maybe | 6: 'enabled' is 'maybe': give true or false",
        "expires: 1w | 6: 'expires' is '1w': give for example 90s",
        "raise_above: high | 6: 'raise_above' is 'high': give a number",
        "consecutive: 0 | 6: 'consecutive' is 0: give a whole number from 1 to 1000",
        "labels: { a: '{b' } | 6: 'a': '{' without '}'",
        "clauses: [] | 6: 'set' has no key 'clauses'",
      })
  void saysFileLineAndReason(String field, String expected) {
    assertThatThrownBy(() -> override(field))
        .isInstanceOf(DocumentException.class)
        .hasMessageStartingWith("site.yaml:" + expected);
  }

  @Test
  void aThresholdOfARuleWithoutOneIsRefusedWithTheOverridesLine() {
    assertThatThrownBy(() -> merged(LINK, "raise_above: 1"))
        .hasMessage(
            "site.yaml:6: 'raise_above' changes the one threshold of a rule, and 'link' has none");
  }

  @Test
  void whatTheRuleCannotBeAfterwardsIsRefusedNamingBothFiles() {
    assertThatThrownBy(() -> merged(LOAD, "clear_below: 0.9"))
        .hasMessageStartingWith(
            "site.yaml:3 sets clear_below of link.yaml:11: 'clear_below' lies beyond");
  }

  private static int lineOf(String text, String line) {
    return text.lines().toList().indexOf(line);
  }

  private static Rule merged(String rule, String... fields) {
    return (Rule) DocumentLoader.load(merge(rule, fields));
  }

  private static DocumentText merge(String rule, String... fields) {
    return override(fields).applyTo(new DocumentText("link.yaml", 7, rule));
  }

  private static RuleOverride override(String... fields) {
    return RuleOverride.load(
        new DocumentText(
            "site.yaml",
            3,
            "kind: override\nrule: link\nset:\n  " + String.join("\n  ", fields) + "\n"));
  }
}
