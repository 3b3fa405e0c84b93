package io.tocsin.connectors.alertmanager;

import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.HeldBack;
import io.tocsin.alerts.v1.Severity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AlertmanagerAlertTest {
  private static final Duration RESEND = Duration.ofSeconds(60);
  private static final Alert OPEN =
      Alert.newBuilder()
          .setFingerprint("f1")
          .setState(AlertState.ALERT_STATE_OPEN)
          .setSeverity(Severity.SEVERITY_CRITICAL)
          .setSource("hyak a")
          .setDevice("n0418")
          .setCheck("node")
          .setSummary("node down")
          .putLabels("rack", "b4")
          .setFirstSeenUnixNanos(unixNanos(NOON))
          .setLastSeenUnixNanos(unixNanos(A_SECOND_LATER))
          .setUpdateCount(3)
          .build();

  @Test
  void openAlertExpiresAfterFourIntervalsOfSilence() {
    AlertmanagerAlert alert = AlertmanagerAlert.of(OPEN, A_SECOND_LATER, RESEND, PageLinks.DEFAULT);

    assertThat(alert.endsAt()).isEqualTo("2026-11-20T12:04:01Z");
    assertThat(alert.labels())
        .isEqualTo(
            Map.of(
                "alertname", "node",
                "severity", "critical",
                "source", "hyak a",
                "device", "n0418",
                "fingerprint", "f1",
                "rack", "b4"));
    assertThat(alert.annotations())
        .isEqualTo(
            Map.of(
                "summary", "node down",
                "first_seen", "2026-11-20T12:00:00Z",
                "last_seen", "2026-11-20T12:00:01Z",
                "update_count", "3",
                "dashboard", "http://127.0.0.1:3000/d/tocsin-alert?var-fingerprint=f1"));
    assertThat(alert.generatorURL()).isEqualTo(alert.annotations().get("dashboard"));
  }

  @Test
  void stormCarriesItsMembersAndItsRunbook() {
    Alert storm =
        OPEN.toBuilder().setMemberCount(40).setRunbook("storm").setCause("x").setRule("r").build();

    assertThat(annotations(storm, new PageLinks("https://grafana.example/", "https://wiki/run/")))
        .containsEntry("member_count", "40")
        .containsEntry("cause", "x")
        .containsEntry("rule", "r")
        .containsEntry("runbook", "https://wiki/run/storm.md")
        .containsEntry("dashboard", "https://grafana.example/d/tocsin-alert?var-fingerprint=f1");
  }

  @Test
  void pageSaysWhatRaisedItByWhichRuleAndKeyAndWhatHeldItBack() {
    Alert alert =
        OPEN.toBuilder()
            .setRule("link")
            .setRulePushedAtUnixNanos(unixNanos(NOON))
            .addAllRaisedBy(List.of("a-1-1", "a-1-2", "a-1-9"))
            .putFingerprintFields("source", "link")
            .putFingerprintFields("device", "n0418")
            .addHeldBack(
                HeldBack.newBuilder()
                    .setCause("dependency:f2,f3")
                    .setName("cores")
                    .setSinceUnixNanos(unixNanos(A_SECOND_LATER)))
            .build();

    assertThat(annotations(alert, PageLinks.DEFAULT))
        .containsEntry(
            "raised_by", "rule link as pushed at 2026-11-20T12:00:00Z: event a-1-1 to a-1-9")
        .containsEntry("key", "device=n0418 source=link")
        .containsEntry("held_back", "dependency cores since 2026-11-20T12:00:01Z");
    assertThat(
            annotations(OPEN.toBuilder().addRaisedBy("a-1-1").build(), PageLinks.DEFAULT)
                .get("raised_by"))
        .isEqualTo("hyak a: event a-1-1");
  }

  @Test
  void alertThatEndsBySilenceSaysWhen() {
    Alert alert = OPEN.toBuilder().setExpiresAtUnixNanos(unixNanos(AN_HOUR_LATER)).build();

    assertThat(annotations(alert, PageLinks.DEFAULT))
        .containsEntry("expires_at", AN_HOUR_LATER.toString());
  }

  @Test
  void runbookIsItsPageInGrafanaWhereNoFolderIsNamed() {
    Alert alert = OPEN.toBuilder().setRunbook("wan-down").build();

    assertThat(annotations(alert, new PageLinks("https://grafana.example/", "")))
        .containsEntry("runbook", "https://grafana.example/d/tocsin-runbook-wan-down");
  }

  @Test
  void runbookThatIsAUrlStaysAsItIs() {
    Alert alert = OPEN.toBuilder().setRunbook("https://vendor.example/kb/1").build();

    assertThat(annotations(alert, PageLinks.DEFAULT))
        .containsEntry("runbook", "https://vendor.example/kb/1");
  }

  @Test
  void flappingAlertIsActiveAndSaysSo() {
    Alert flapping = OPEN.toBuilder().setState(AlertState.ALERT_STATE_FLAPPING).build();

    assertThat(AlertmanagerAlert.of(flapping, NOON, RESEND, PageLinks.DEFAULT).endsAt())
        .isEqualTo("2026-11-20T12:04:00Z");
    assertThat(annotations(flapping, PageLinks.DEFAULT)).containsEntry("state", "flapping");
  }

  private static Map<String, String> annotations(Alert alert, PageLinks links) {
    return AlertmanagerAlert.of(alert, NOON, RESEND, links).annotations();
  }

  /** Alertmanager would tell at once what started longer ago than it gathers a group. */
  @Test
  void lateNewsStartWhenTheyArePostedSoThatTheirGroupIsGathered() {
    AlertmanagerAlert late = AlertmanagerAlert.of(OPEN, AN_HOUR_LATER, RESEND, PageLinks.DEFAULT);

    assertThat(late.startsAt()).isEqualTo("2026-11-20T13:00:00Z");
    assertThat(late.annotations()).containsEntry("first_seen", "2026-11-20T12:00:00Z");
  }

  @Test
  void resolvedAlertEndsWhenItIsPostedAndSaysWhenItWasResolved() {
    Alert resolved =
        OPEN.toBuilder()
            .setState(AlertState.ALERT_STATE_RESOLVED)
            .setResolvedAtUnixNanos(unixNanos(A_SECOND_LATER))
            .build();

    AlertmanagerAlert over =
        AlertmanagerAlert.of(resolved, AN_HOUR_LATER, RESEND, PageLinks.DEFAULT);

    assertThat(over.startsAt()).isEqualTo("2026-11-20T13:00:00Z");
    assertThat(over.endsAt()).isEqualTo("2026-11-20T13:00:00Z");
    assertThat(over.annotations()).containsEntry("resolved_at", "2026-11-20T12:00:01Z");
  }

  @Test
  void siteIsALabelWhereItIsConfigured() {
    AlertmanagerAlert alert =
        AlertmanagerAlert.of(
            OPEN.toBuilder().setSite("zürich").build(), NOON, RESEND, PageLinks.DEFAULT);

    assertThat(alert.labels()).containsEntry("site", "zürich");
  }

  @Test
  void deviceWhoseClockIsAheadPagesNow() {
    Alert ahead = OPEN.toBuilder().setFirstSeenUnixNanos(unixNanos(AN_HOUR_LATER)).build();
    assertThat(AlertmanagerAlert.of(ahead, NOON, RESEND, PageLinks.DEFAULT).startsAt())
        .isEqualTo("2026-11-20T12:00:00Z");

    Alert over =
        ahead.toBuilder()
            .setState(AlertState.ALERT_STATE_RESOLVED)
            .setResolvedAtUnixNanos(unixNanos(AN_HOUR_LATER))
            .build();
    assertThat(AlertmanagerAlert.of(over, NOON, RESEND, PageLinks.DEFAULT).endsAt())
        .isEqualTo("2026-11-20T12:00:00Z");
  }

  @Test
  void labelsOfTheUpdateNeverReplaceOurs() {
    Alert hostile =
        OPEN.toBuilder().putLabels("device", "other").putLabels("fingerprint", "x").build();

    assertThat(AlertmanagerAlert.of(hostile, NOON, RESEND, PageLinks.DEFAULT).labels())
        .containsEntry("device", "n0418")
        .containsEntry("fingerprint", "f1");
  }

  @Test
  void labelsThatBecomeTheSameNameGiveTheSameResultEachTime() {
    Alert twice =
        OPEN.toBuilder().putLabels("a b", "2").putLabels("a-b", "3").putLabels("e", "").build();

    assertThat(AlertmanagerAlert.of(twice, NOON, RESEND, PageLinks.DEFAULT).labels())
        .containsEntry("a_b", "2")
        .doesNotContainKey("e");
  }

  @ParameterizedTest
  @CsvSource({
    "rack, rack",
    "rack-id, rack_id",
    "9lives, _9lives",
    "__name__, _name__",
    "größe, gr__e",
    "'', _"
  })
  void labelNamesAreThoseOfPrometheus(String name, String expected) {
    assertThat(AlertmanagerAlert.labelName(name)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 99})
  void severityThatThisBuildDoesNotKnowPagesAsIndeterminate(int number) {
    Alert alert = OPEN.toBuilder().setSeverityValue(number).build();

    assertThat(AlertmanagerAlert.of(alert, NOON, RESEND, PageLinks.DEFAULT).labels())
        .containsEntry("severity", "indeterminate");
  }
}
