package io.tocsin.connectors.clickhouse;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.CutSet;
import io.tocsin.alerts.v1.DownPart;
import io.tocsin.alerts.v1.HeldBack;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.TreeStanding;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.model.EnumWords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What the alerts job told, as people and questions read it. */
class AlertTablesITCase extends ClickHouseCase {
  private final String fingerprint = "test-" + UUID.randomUUID();

  @Test
  void transitionsReachTheViewOfNewestAlerts() throws IOException {
    Alert opened =
        Alert.newBuilder()
            .setFingerprint(fingerprint)
            .putFingerprintFields("device", "n0418")
            .setState(AlertState.ALERT_STATE_OPEN)
            .setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
            .setVersion(1)
            .setSeverity(Severity.SEVERITY_CRITICAL)
            .setDevice("n0418")
            .setFirstSeenUnixNanos(unixNanos(NOON))
            .setLastSeenUnixNanos(unixNanos(NOON))
            .setUpdateCount(1)
            .build();
    Alert resolved =
        opened.toBuilder()
            .setState(AlertState.ALERT_STATE_RESOLVED)
            .setTransition(AlertTransition.ALERT_TRANSITION_RESOLVED)
            .setVersion(2)
            .setResolvedAtUnixNanos(unixNanos(NOON.plusSeconds(1)))
            .setMemberCount(40)
            .setRule("link-down")
            .setRunbook("storm")
            .setExpiresAtUnixNanos(unixNanos(NOON.plusSeconds(9)))
            .build();

    tell(opened, resolved);

    assertThat(
            clickHouse.query(
                "SELECT version, state, transition, transition_at, resolved_at FROM tocsin.alerts"
                    + " WHERE fingerprint = '"
                    + fingerprint
                    + "'"))
        .isEqualTo(
            "2\tresolved\tresolved\t2026-11-20 12:00:01.000000000\t2026-11-20 12:00:01.000000000");
    assertThat(
            clickHouse.query(
                "SELECT version, resolved_at FROM tocsin.alert_history WHERE fingerprint = '"
                    + fingerprint
                    + "' ORDER BY version LIMIT 1"))
        .isEqualTo("1\t\\N");
    assertThat(
            clickHouse.query(
                "SELECT member_count, rule, runbook, expires_at FROM tocsin.alerts"
                    + " WHERE fingerprint = '"
                    + fingerprint
                    + "'"))
        .isEqualTo("40\tlink-down\tstorm\t2026-11-20 12:00:09.000000000");
  }

  @Test
  void whyAnAlertIsAsItIsReachesTheTable() throws IOException {
    long noon = unixNanos(NOON);
    tell(
        alert(AlertTransition.ALERT_TRANSITION_OPENED, 1)
            .addRaisedBy("a-1-1")
            .addRaisedBy("a-1-2")
            .setRulePushedAtUnixNanos(noon)
            .addHeldBack(
                HeldBack.newBuilder().setCause("tree:t").setName("t").setSinceUnixNanos(noon))
            .setTree(
                TreeStanding.newBuilder()
                    .addCutSets(CutSet.newBuilder().addParts("d1").addParts("d2"))
                    .addCutSets(CutSet.newBuilder().addParts("ctl"))
                    .addDown(DownPart.newBuilder().setName("d1").setFingerprint("f1"))
                    .addNext("d3")
                    .setLeftOut(5))
            .build());

    assertThat(
            query(
                "SELECT raised_by, rule_pushed_at, held_back, cut_sets, tree_down, tree_next,"
                    + " tree_left_out FROM tocsin.alerts"))
        .isEqualTo(
            "['a-1-1','a-1-2']\t2026-11-20 12:00:00.000000000\t[('tree:t','t','2026-11-20"
                + " 12:00:00.000000000')]\t[['d1','d2'],['ctl']]\t[('d1','f1')]\t['d3']\t5");
  }

  @Test
  void everyTransitionHasItsWordInTheTable() throws Exception {
    List<Message> told = new ArrayList<>();
    List<String> words = new ArrayList<>();
    for (AlertTransition transition : AlertTransition.values()) {
      if (EnumWords.isSpecified(transition)) {
        words.add(EnumWords.wordOf(transition));
        told.add(
            Alert.newBuilder()
                .setFingerprint(fingerprint + "-words")
                .setVersion(transition.getNumber())
                .setTransition(transition)
                .setState(AlertState.ALERT_STATE_OPEN)
                .setSeverity(Severity.SEVERITY_MAJOR)
                .build());
      }
    }

    tell(told.toArray(Message[]::new));

    assertThat(
            clickHouse.query(
                "SELECT transition FROM tocsin.alert_history WHERE fingerprint = '"
                    + fingerprint
                    + "-words' ORDER BY version"))
        .isEqualTo(String.join("\n", words));
  }

  /**
   * A job that went on after a failure tells again, or tells something else with a lower version.
   */
  @Test
  void whatIsToldAgainCountsOnceAndWhatWasToldLastStands() throws IOException {
    Alert opened = alert(AlertTransition.ALERT_TRANSITION_OPENED, 10).build();
    Alert resolved =
        alert(AlertTransition.ALERT_TRANSITION_RESOLVED, 12)
            .setState(AlertState.ALERT_STATE_RESOLVED)
            .setResolvedAtUnixNanos(unixNanos(NOON.plusSeconds(3600)))
            .build();
    Alert suppressed =
        alert(AlertTransition.ALERT_TRANSITION_SUPPRESSED, 11)
            .setState(AlertState.ALERT_STATE_SUPPRESSED)
            .build();

    tell(opened, resolved);
    tell(opened, resolved.toBuilder().setVersion(13).build(), suppressed);

    assertThat(query("SELECT state, version FROM tocsin.alerts")).isEqualTo("suppressed\t11");
    assertThat(
            query(
                "SELECT uniqExactIf(transition_id, transition = 'opened'), count() FROM (SELECT *"
                    + " FROM tocsin.alert_history FINAL)"))
        .isEqualTo("1\t4");
    assertThat(
            query(
                "SELECT sum(ended), sum(seconds) FROM tocsin.alert_durations_1d WHERE device IN"
                    + " (SELECT device FROM tocsin.alert_history",
                ")"))
        .isEqualTo("1\t3600");
  }

  private Alert.Builder alert(AlertTransition transition, long version) {
    return Alert.newBuilder()
        .setFingerprint(fingerprint)
        .setState(AlertState.ALERT_STATE_OPEN)
        .setTransition(transition)
        .setVersion(version)
        .setSeverity(Severity.SEVERITY_CRITICAL)
        .setDevice(fingerprint)
        .setFirstSeenUnixNanos(unixNanos(NOON))
        .setLastSeenUnixNanos(unixNanos(NOON));
  }

  /** With the condition that the rows are this test's. */
  private String query(String select, String... rest) {
    return clickHouse.query(
        select + " WHERE fingerprint = '" + fingerprint + "'" + String.join("", rest));
  }

  private void tell(Message... messages) throws IOException {
    inserter.insert(ToldBlock.of(Topics.ALERTS, messages));
  }
}
