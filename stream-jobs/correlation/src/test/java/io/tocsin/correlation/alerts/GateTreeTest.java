package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.CutSet;
import io.tocsin.alerts.v1.DownPart;
import io.tocsin.alerts.v1.HeldBack;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.TreeStanding;
import io.tocsin.correlation.alerts.TreeNode.AlertLeaf;
import io.tocsin.correlation.alerts.TreeNode.TreeGate;
import io.tocsin.correlation.alerts.TreeNode.TreeLeaf;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Disks, a controller and an array: what is told, and what pages. */
class GateTreeTest {
  private static final StormLimits NO_STORMS =
      new StormLimits(1_000, Duration.ofSeconds(10), Duration.ofSeconds(60));
  private static final Duration AT_ONCE = Duration.ZERO;

  private final GateStory story = new GateStory(NO_STORMS);

  private static Instant at(int seconds) {
    return NOON.plusSeconds(seconds);
  }

  private static TreeNode leaf(String device) {
    return new AlertLeaf("", new AlertMatcher(Map.of("device", List.of(device))), Set.of());
  }

  private static TreeNode gate(int atLeast, TreeNode... children) {
    return new TreeGate(atLeast, List.of(children), 0);
  }

  private static FaultTree tree(String name, Duration hold, TreeNode top) {
    return new FaultTree(
        name,
        top,
        hold.toNanos(),
        Severity.SEVERITY_CRITICAL,
        Severity.SEVERITY_MINOR,
        "hq",
        Map.of("team", "storage"),
        "");
  }

  private static FaultTree array(Duration hold) {
    return tree("array", hold, gate(2, leaf("d1"), leaf("d2"), leaf("d3")));
  }

  private Alert top(String tree) {
    return story.latest(TreeAlerts.topFingerprint(tree));
  }

  private Alert redundancy(String tree) {
    return story.latest(TreeAlerts.redundancyFingerprint(tree));
  }

  @Test
  void topEventIsOneAlertWithItsCutSetAndWhatIsUnderItPagesNobody() {
    story.policies(NOON, array(AT_ONCE)).open("d1", at(1)).open("d2", at(2));

    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(top("array").getSummary()).isEqualTo("array is down by: d1 node + d2 node");
    assertThat(top("array").getSource()).isEqualTo("tree");
    assertThat(top("array").getCheck()).isEqualTo("array");
    assertThat(top("array").getSeverity()).isEqualTo(Severity.SEVERITY_CRITICAL);
    assertThat(top("array").getSite()).isEqualTo("hq");
    assertThat(top("array").getLabelsMap()).isEqualTo(Map.of("team", "storage", "tree", "array"));
    assertThat(top("array").getRunbook()).isEqualTo("fault-tree");
    assertThat(top("array").getEventId()).isEqualTo("event of d2");
    assertThat(top("array").getFirstSeenUnixNanos()).isEqualTo(unixNanos(at(2)));
    String cause = "tree:" + TreeAlerts.topFingerprint("array");
    assertThat(story.latest("d1").getCause()).isEqualTo(cause);
    assertThat(story.latest("d2").getCause()).isEqualTo(cause);
    assertThat(story.told()).doesNotContain("d2 opened open").contains("d2 opened suppressed");
  }

  @Test
  void alertsOfATreeSayWhatIsDownWhatIsEnoughAndWhatIsOneStepAway() {
    story.policies(NOON, array(AT_ONCE)).open("d1", at(1));
    TreeStanding lost = redundancy("array").getTree();
    assertThat(lost.getDownList()).extracting(DownPart::getFingerprint).containsExactly("d1");
    assertThat(lost.getNextList()).containsExactly("device d2", "device d3");
    assertThat(lost.getCutSetsList()).isEmpty();
    assertThat(redundancy("array").getRaisedByList()).containsExactly("event of d1");

    story.open("d2", at(2));

    TreeStanding down = top("array").getTree();
    assertThat(down.getDownList())
        .extracting(part -> part.getName() + " is " + part.getFingerprint())
        .containsExactly("d1 node is d1", "d2 node is d2");
    assertThat(down.getNextList()).isEmpty();
    assertThat(down.getCutSetsList())
        .singleElement()
        .extracting(CutSet::getPartsList)
        .isEqualTo(List.of("d1 node", "d2 node"));
    assertThat(top("array").getRaisedByList()).containsExactly("event of d1", "event of d2");
    assertThat(story.latest("d1").getHeldBackList())
        .singleElement()
        .extracting(HeldBack::getSinceUnixNanos)
        .isEqualTo(unixNanos(at(2)));
  }

  @Test
  void standingOfATreeIsBounded() {
    TreeNode[] disks = new TreeNode[100];
    for (int i = 0; i < disks.length; i++) {
      disks[i] = leaf("d" + i);
    }
    story.policies(NOON, tree("wide", AT_ONCE, gate(100, disks)));
    for (int i = 0; i < 99; i++) {
      story.open("d" + i, at(1 + i));
    }

    TreeStanding lost = redundancy("wide").getTree();
    assertThat(lost.getDownCount()).isEqualTo(64);
    assertThat(lost.getNextList()).containsExactly("device d99");
    assertThat(lost.getLeftOut()).isEqualTo(35);
    assertThat(redundancy("wide").getRaisedByCount()).isEqualTo(8);
  }

  @Test
  void whatIsStillDownPagesWhenTheTopEventIsOver() {
    story.policies(NOON, array(AT_ONCE)).open("d1", at(1)).open("d2", at(2)).close("d1", at(3));

    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(top("array").getResolvedAtUnixNanos()).isEqualTo(unixNanos(at(3)));
    assertThat(story.told()).endsWith("d2 unsuppressed open");
    assertThat(story.latest("d2").getCause()).isEmpty();
  }

  @Test
  void lostRedundancyIsAnAlertOfItsOwnThatSaysWhatMustNotFail() {
    story.policies(NOON, array(AT_ONCE)).open("d1", at(1));

    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(redundancy("array").getCheck()).isEqualTo("array-redundancy");
    assertThat(redundancy("array").getSeverity()).isEqualTo(Severity.SEVERITY_MINOR);
    assertThat(redundancy("array").getRunbook()).isEqualTo("redundancy-lost");
    assertThat(redundancy("array").getSummary())
        .isEqualTo(
            "array has lost its redundancy by: d1 node; it goes down with any of: device d2, device"
                + " d3");
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    story.open("d2", at(2));
    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    story.close("d2", at(3));
    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    story.close("d1", at(4));
    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(redundancy("array").getVersion()).isGreaterThan(unixNanos(at(3)));
  }

  @Test
  void oneThatIsEnoughByItselfNeverHadRedundancyToLose() {
    story.policies(
        NOON, tree("service", AT_ONCE, gate(1, gate(2, leaf("d1"), leaf("d2")), leaf("ctl"))));

    story.open("other", at(1));
    assertThat(redundancy("service")).isNull();
    story.open("d1", at(2));
    assertThat(redundancy("service").getSummary())
        .isEqualTo(
            "service has lost its redundancy by: d1 node; it goes down with any of: device d2");
  }

  @Test
  void treeUnderATreeIsToldUnderIt() {
    story
        .policies(
            NOON,
            array(AT_ONCE),
            tree("service", AT_ONCE, gate(1, new TreeLeaf("array"), leaf("ctl"))))
        .open("d1", at(1))
        .open("d2", at(2));

    assertThat(top("service").getSummary()).isEqualTo("service is down by: array");
    assertThat(top("service").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
    assertThat(top("array").getCause()).isEqualTo("tree:" + TreeAlerts.topFingerprint("service"));
    assertThat(story.told()).doesNotContain(TreeAlerts.topFingerprint("array") + " opened open");
    story.open("ctl", at(3)).close("d1", at(4));
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(story.latest("d2").getCause())
        .isEqualTo("tree:" + TreeAlerts.topFingerprint("service"));
    story.close("ctl", at(5));
    assertThat(story.latest("d2").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(top("service").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
  }

  @Test
  void holdIsOverWhenTheStreamHasReachedItsEndAndNotBefore() {
    story.policies(NOON, array(Duration.ofSeconds(30))).open("d1", at(1)).open("d2", at(2));

    Alert ahead = GateStory.alert("d9", AlertState.ALERT_STATE_OPEN, "OPENED", at(60)).build();
    story.take(ahead, unixNanos(at(2))).until(at(31));
    assertThat(top("array")).isNull();
    story.until(at(32));
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(top("array").getFirstSeenUnixNanos()).isEqualTo(unixNanos(at(32)));
  }

  @Test
  void clearWithinTheHoldLeavesTheTopEventUntold() {
    story.policies(NOON, array(Duration.ofSeconds(30))).open("d1", at(1)).open("d2", at(2));

    story.close("d1", at(20)).open("d1", at(21)).until(at(50));
    assertThat(top("array")).isNull();
    story.until(at(51));
    assertThat(top("array").getFirstSeenUnixNanos()).isEqualTo(unixNanos(at(51)));
  }

  @Test
  void redundancyStaysLostWhileTheTopEventIsHeld() {
    story.policies(NOON, array(Duration.ofSeconds(30))).open("d1", at(1)).until(at(40));
    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);

    story.open("d2", at(41)).until(at(60));
    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(redundancy("array").getSummary()).endsWith("nothing more need fail");
    story.until(at(71));
    assertThat(redundancy("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void leafOfASeverityCountsWhileItsAlertHasIt() {
    TreeNode bad =
        new AlertLeaf(
            "disk one",
            new AlertMatcher(Map.of("device", List.of("d1"))),
            Set.of(Severity.SEVERITY_CRITICAL));
    story.policies(NOON, tree("disk", AT_ONCE, bad)).open("d1", at(1));
    assertThat(top("disk")).isNull();

    Alert worse =
        GateStory.alert("d1", AlertState.ALERT_STATE_OPEN, "SEVERITY_CHANGED", at(2))
            .setSeverity(Severity.SEVERITY_CRITICAL)
            .build();
    story.take(worse);
    assertThat(top("disk").getSummary()).isEqualTo("disk is down by: disk one");
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
    story.refresh("d1", at(3));
    assertThat(top("disk").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void cutSetsAreToldWhenTheyChangeAndAreBounded() {
    TreeNode[] disks = new TreeNode[12];
    for (int i = 0; i < disks.length; i++) {
      disks[i] = leaf("d" + i);
    }
    story.policies(NOON, tree("array", AT_ONCE, gate(2, disks)));
    for (int i = 0; i < disks.length; i++) {
      story.open("d" + i, at(i));
    }

    assertThat(top("array").getSummary())
        .isEqualTo(
            "array is down by: d0 node + d1 node; or: d0 node + d2 node; or: d0 node + d3 node;"
                + " or: d0 node + d4 node; or others, more than 8 in all");
    assertThat(top("array").getUpdateCount()).isGreaterThan(2);
  }

  @Test
  void withdrawnTreeEndsItsAlertsAndWhatWasUnderItPages() {
    story.policies(NOON, array(AT_ONCE)).open("d1", at(1)).open("d2", at(2)).policies(at(3));

    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(story.latest("d2").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void treeThatIsPushedLaterKnowsWhatIsDown() {
    story.open("d1", at(1)).open("d2", at(2)).policies(at(3), array(AT_ONCE));

    assertThat(top("array").getFirstSeenUnixNanos()).isEqualTo(unixNanos(at(2)));
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
  }

  @Test
  void restartForgetsNothing() {
    story.policies(NOON, array(AT_ONCE)).open("d1", at(1)).open("d2", at(2)).restart();
    int told = story.decisions().size();

    story.open("other", at(3));
    assertThat(story.toldAfter(told)).containsExactly("other opened open");
    story.close("d2", at(4));
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
  }

  @Test
  void holdThatWasOverBeforeARestartIsNotHeldAgainByAnOlderTimer() {
    story.policies(NOON, array(Duration.ofSeconds(30))).open("d1", at(1)).open("d2", at(2));
    Alert later = GateStory.alert("d9", AlertState.ALERT_STATE_OPEN, "OPENED", at(60)).build();
    story.take(later, unixNanos(at(60)));
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);

    story.restart().until(at(20));
    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void treesInACircleAndTreesThatAreNotThereAreNeverTrue() {
    story
        .policies(
            NOON,
            tree("a", AT_ONCE, gate(1, new TreeLeaf("b"), leaf("d1"))),
            tree("b", AT_ONCE, gate(1, new TreeLeaf("a"), leaf("d1"))),
            tree("c", AT_ONCE, gate(1, new TreeLeaf("gone"), leaf("d2"))))
        .open("d1", at(1))
        .open("d2", at(2));

    assertThat(top("a")).isNull();
    assertThat(top("b")).isNull();
    assertThat(top("c").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void topEventThatItsLeafExplainsDoesNotExplainTheLeaf() {
    Dependency onTheDisk =
        new Dependency(
            "on-the-disk",
            new AlertMatcher(Map.of("source", List.of("tree"))),
            List.of(new AlertMatcher(Map.of("device", List.of("d1")))));
    story.policies(NOON, onTheDisk, array(AT_ONCE)).open("d1", at(1)).open("d2", at(2));

    assertThat(top("array").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
    assertThat(story.latest("d1").getState()).isEqualTo(AlertState.ALERT_STATE_OPEN);
    assertThat(story.latest("d2").getState()).isEqualTo(AlertState.ALERT_STATE_SUPPRESSED);
  }
}
