package io.tocsin.jobs.paging;

import static io.tocsin.testsupport.Instants.A_SECOND_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.paging.Page;
import io.tocsin.correlation.paging.PagingRules;
import io.tocsin.jobs.KeptState;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.model.ProtobufTypeInfo;
import java.time.Duration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PagingFunctionTest {
  private static final long RESEND_MILLIS = 60_000;
  private static final long GRACE_MILLIS = PagingRules.CORRECTION_GRACE.toMillis();
  private static final Alert OPENED =
      Alert.newBuilder()
          .setFingerprint("f1")
          .setState(AlertState.ALERT_STATE_OPEN)
          .setTransition(AlertTransition.ALERT_TRANSITION_OPENED)
          .setVersion(unixNanos(NOON))
          .setSeverity(Severity.SEVERITY_MAJOR)
          .putLabels("rack", "b4")
          .setFirstSeenUnixNanos(unixNanos(NOON))
          .setLastSeenUnixNanos(unixNanos(NOON))
          .setUpdateCount(1)
          .build();

  private KeyedOneInputStreamOperatorTestHarness<String, Alert, Alert> harness;

  @BeforeEach
  void open() throws Exception {
    newHarness();
    harness.open();
    harness.setProcessingTime(0);
  }

  private void newHarness() throws Exception {
    harness =
        KeyedHarness.of(
            new PagingFunction(Duration.ofMillis(RESEND_MILLIS)),
            Alert::getFingerprint,
            ProtobufTypeInfo.forMessage(Alert.class));
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void stateIsKeptFieldByFieldWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Page.class);
  }

  @Test
  void openedAlertIsPostedAtOnceAndAgainEveryInterval() throws Exception {
    send(OPENED);
    assertThat(harness.extractOutputValues()).containsExactly(OPENED);

    harness.setProcessingTime(RESEND_MILLIS - 1);
    assertThat(harness.extractOutputValues()).hasSize(1);
    harness.setProcessingTime(RESEND_MILLIS);
    harness.setProcessingTime(2 * RESEND_MILLIS);

    assertThat(harness.extractOutputValues()).containsExactly(OPENED, OPENED, OPENED);
    assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);
  }

  @Test
  void refreshWaitsForTheNextIntervalAndKeepsTheLabelsOfTheOpening() throws Exception {
    send(OPENED);
    send(
        next(OPENED, AlertTransition.ALERT_TRANSITION_REFRESHED)
            .setUpdateCount(9)
            .putLabels("rack", "c1")
            .putLabels("load", "0.7")
            .build());
    assertThat(harness.extractOutputValues()).hasSize(1);

    harness.setProcessingTime(RESEND_MILLIS);

    Alert resent = harness.extractOutputValues().get(1);
    assertThat(resent.getUpdateCount()).isEqualTo(9);
    assertThat(resent.getLabelsMap()).isEqualTo(OPENED.getLabelsMap());
  }

  @Test
  void changeOfSeverityEndsTheOldPageAndStartsTheNew() throws Exception {
    Alert worse =
        next(OPENED, AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED)
            .setSeverity(Severity.SEVERITY_CRITICAL)
            .setVersion(unixNanos(A_SECOND_LATER))
            .build();

    send(OPENED);
    send(worse);

    assertThat(harness.extractOutputValues()).hasSize(3).element(2).isEqualTo(worse);
    Alert ended = harness.extractOutputValues().get(1);
    assertThat(ended.getSeverity()).isEqualTo(Severity.SEVERITY_MAJOR);
    assertThat(ended.getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(ended.getResolvedAtUnixNanos()).isEqualTo(unixNanos(A_SECOND_LATER));
    assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);
  }

  @Test
  void resolvedAlertIsPostedAtOnceWithItsOwnLabelsAndForgottenAfterADay() throws Exception {
    send(OPENED);
    send(resolved(OPENED).putLabels("rack", "c1").build());

    Alert posted = harness.extractOutputValues().get(1);
    assertThat(posted.getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(posted.getLabelsMap()).isEqualTo(OPENED.getLabelsMap());
    assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);

    harness.setProcessingTime(Duration.ofDays(1).toMillis());
    assertThat(harness.extractOutputValues()).hasSize(2);
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numProcessingTimeTimers()).isZero();
  }

  @Test
  void alertThatWasResolvedBeforeTheJobStartedIsPostedOnce() throws Exception {
    send(resolved(OPENED).build());
    harness.setProcessingTime(Duration.ofDays(1).toMillis());

    assertThat(harness.extractOutputValues()).hasSize(1);
    assertThat(harness.numKeyedStateEntries()).isZero();
  }

  @Test
  void reopenedAlertIsANewPageWithOneTimer() throws Exception {
    send(OPENED);
    Alert resolved = resolved(OPENED).build();
    send(resolved);
    Alert reopened = reopened(resolved);
    send(reopened);

    assertThat(harness.extractOutputValues()).element(2).isEqualTo(reopened);
    assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);
  }

  @Test
  void repeatedTransitionIsIgnored() throws Exception {
    send(OPENED);
    send(OPENED);

    assertThat(harness.extractOutputValues()).containsExactly(OPENED);
  }

  @Test
  void repeatedLifeOfAnAlertThatIsOverIsIgnored() throws Exception {
    Alert resolved = resolved(OPENED).build();
    send(OPENED);
    send(resolved);
    send(OPENED);
    send(resolved);

    assertThat(harness.extractOutputValues()).containsExactly(OPENED, resolved);
  }

  @Test
  void alertThatBelongedToAStormOnlyBeforeTheReplayPagesWhenNothingElseIsSaidOfIt()
      throws Exception {
    Alert suppressed = suppressed().toBuilder().setVersion(unixNanos(NOON) + 5).build();
    send(suppressed);
    send(OPENED);
    assertThat(harness.extractOutputValues()).isEmpty();

    harness.setProcessingTime(GRACE_MILLIS - 1);
    assertThat(harness.extractOutputValues()).isEmpty();
    harness.setProcessingTime(GRACE_MILLIS);

    Alert posted = OPENED.toBuilder().putLabels("outlived", "storm").build();
    assertThat(harness.extractOutputValues()).containsExactly(posted);
    harness.setProcessingTime(GRACE_MILLIS + RESEND_MILLIS);
    assertThat(harness.extractOutputValues()).containsExactly(posted, posted);
  }

  @Test
  void replayThatEndsWhereTheFirstRunEndedPostsNothing() throws Exception {
    Alert resolved = resolved(OPENED).build();
    Alert again = reopened(resolved);
    send(OPENED);
    send(resolved);
    send(again);
    send(OPENED);
    send(resolved);
    harness.setProcessingTime(GRACE_MILLIS - 1);
    send(again);
    harness.setProcessingTime(RESEND_MILLIS - 1);

    assertThat(harness.extractOutputValues()).containsExactly(OPENED, resolved, again);
  }

  @Test
  void alertThatIsOverOnlyInTheReplayIsEndedWhenNothingElseIsSaidOfIt() throws Exception {
    Alert resolved = resolved(OPENED).build();
    send(OPENED);
    send(resolved);
    send(reopened(resolved));
    send(resolved);
    harness.setProcessingTime(GRACE_MILLIS);

    assertThat(harness.extractOutputValues())
        .extracting(Alert::getState)
        .containsExactly(
            AlertState.ALERT_STATE_OPEN,
            AlertState.ALERT_STATE_RESOLVED,
            AlertState.ALERT_STATE_OPEN,
            AlertState.ALERT_STATE_RESOLVED);
  }

  @Test
  void replayWithTheSameVersionAndAnotherSeverityIsACorrection() throws Exception {
    Alert worse = OPENED.toBuilder().setSeverity(Severity.SEVERITY_CRITICAL).build();
    send(OPENED);
    send(worse);
    harness.setProcessingTime(GRACE_MILLIS);

    assertThat(harness.extractOutputValues())
        .extracting(Alert::getSeverity, Alert::getState)
        .containsExactly(
            tuple(Severity.SEVERITY_MAJOR, AlertState.ALERT_STATE_OPEN),
            tuple(Severity.SEVERITY_MAJOR, AlertState.ALERT_STATE_RESOLVED),
            tuple(Severity.SEVERITY_CRITICAL, AlertState.ALERT_STATE_OPEN));
  }

  @Test
  void newsEndsTheWaitOfACorrection() throws Exception {
    send(suppressed());
    send(OPENED);
    Alert over = resolved(suppressed()).build();
    send(over);
    harness.setProcessingTime(RESEND_MILLIS);

    assertThat(harness.extractOutputValues()).isEmpty();
  }

  @Test
  void correctionThatWaitsSurvivesARestore() throws Exception {
    send(suppressed());
    send(OPENED);
    var snapshot = harness.snapshot(1, 1);
    close();
    newHarness();
    harness.initializeState(snapshot);
    harness.open();
    harness.setProcessingTime(GRACE_MILLIS);

    assertThat(harness.extractOutputValues())
        .extracting(Alert::getState)
        .containsExactly(AlertState.ALERT_STATE_OPEN);
  }

  @Test
  void suppressedAlertIsNotPostedNorIsItsEnd() throws Exception {
    Alert suppressed = OPENED.toBuilder().setState(AlertState.ALERT_STATE_SUPPRESSED).build();
    send(suppressed);
    send(resolved(suppressed).build());
    harness.setProcessingTime(Duration.ofDays(1).toMillis());

    assertThat(harness.extractOutputValues()).isEmpty();
    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numProcessingTimeTimers()).isZero();
  }

  @Test
  void postedAlertThatIsSuppressedEndsWithItsCauseAndIsNotRepeated() throws Exception {
    send(OPENED);
    send(suppressed());

    Alert ended = harness.extractOutputValues().get(1);
    assertThat(ended.getState()).isEqualTo(AlertState.ALERT_STATE_RESOLVED);
    assertThat(ended.getResolvedAtUnixNanos()).isEqualTo(unixNanos(NOON) + 1);
    assertThat(ended.getCause()).isEqualTo("storm:s1");
    assertThat(ended.getLabelsMap()).isEqualTo(OPENED.getLabelsMap());
    harness.setProcessingTime(10 * RESEND_MILLIS);
    assertThat(harness.extractOutputValues()).hasSize(2);
  }

  @Test
  void whatOutlivesItsReasonIsPostedAndRepeatedWithALabelOfItsOwn() throws Exception {
    send(OPENED);
    send(suppressed());
    send(unsuppressed());
    harness.setProcessingTime(RESEND_MILLIS);

    Alert posted = unsuppressed().toBuilder().putLabels("outlived", "storm").build();
    assertThat(harness.extractOutputValues().subList(2, 4)).containsExactly(posted, posted);
  }

  @Test
  void whatOutlivedItsReasonEndsUnderTheLabelsOfItsPageAndComesBackWithoutThem() throws Exception {
    send(suppressed());
    send(unsuppressed());
    Alert resolved = resolved(unsuppressed()).build();
    send(resolved);
    Alert reopened = reopened(resolved);
    send(reopened);

    assertThat(harness.extractOutputValues())
        .extracting(alert -> alert.getLabelsOrDefault("outlived", ""))
        .containsExactly("storm", "storm", "");
  }

  @Test
  void flappingAlertIsOneActivePage() throws Exception {
    Alert flapping =
        OPENED.toBuilder()
            .setState(AlertState.ALERT_STATE_FLAPPING)
            .setTransition(AlertTransition.ALERT_TRANSITION_FLAPPING_STARTED)
            .build();
    send(flapping);
    harness.setProcessingTime(RESEND_MILLIS);

    assertThat(harness.extractOutputValues()).containsExactly(flapping, flapping);
  }

  @Test
  void newsOfAStormsMembersIsPostedAtOnce() throws Exception {
    Alert more =
        next(OPENED, AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED).setMemberCount(500).build();
    send(OPENED);
    send(more);

    assertThat(harness.extractOutputValues()).containsExactly(OPENED, more);
  }

  /** An alert that is posted, one that is suppressed, and one that is over. */
  @Test
  void stateOfVersion1IsStillRead() throws Exception {
    OperatorSubtaskState kept = KeptState.of("paging-v1.bin", this::threeAlerts);
    close();
    newHarness();
    harness.initializeState(kept);
    harness.open();
    harness.setProcessingTime(1);

    send(OPENED);
    send(as("f2", unsuppressed()));
    send(as("f3", resolved(OPENED).build()));
    harness.setProcessingTime(RESEND_MILLIS);

    assertThat(harness.extractOutputValues())
        .extracting(
            alert -> alert.getFingerprint() + " " + alert.getLabelsOrDefault("outlived", ""))
        .containsExactly("f2 storm", "f1 ");
  }

  private OperatorSubtaskState threeAlerts() throws Exception {
    send(OPENED);
    send(as("f2", suppressed()));
    send(as("f3", resolved(OPENED).build()));
    return harness.snapshot(1, 1);
  }

  private static Alert as(String fingerprint, Alert alert) {
    return alert.toBuilder().setFingerprint(fingerprint).build();
  }

  @Test
  void postedAlertsSurviveARestoreAndRepeatedTransitionsStayHarmless() throws Exception {
    send(OPENED);
    var snapshot = harness.snapshot(1, 1);
    close();
    newHarness();
    harness.initializeState(snapshot);
    harness.open();
    harness.setProcessingTime(1);

    send(OPENED);
    assertThat(harness.extractOutputValues()).isEmpty();
    harness.setProcessingTime(RESEND_MILLIS);
    assertThat(harness.extractOutputValues()).containsExactly(OPENED);
  }

  private static Alert suppressed() {
    return next(OPENED, AlertTransition.ALERT_TRANSITION_SUPPRESSED)
        .setState(AlertState.ALERT_STATE_SUPPRESSED)
        .setCause("storm:s1")
        .build();
  }

  private static Alert unsuppressed() {
    return next(suppressed(), AlertTransition.ALERT_TRANSITION_UNSUPPRESSED)
        .setState(AlertState.ALERT_STATE_OPEN)
        .clearCause()
        .build();
  }

  private static Alert.Builder next(Alert before, AlertTransition transition) {
    return before.toBuilder().setVersion(before.getVersion() + 1).setTransition(transition);
  }

  private static Alert reopened(Alert over) {
    return next(over, AlertTransition.ALERT_TRANSITION_OPENED)
        .setState(AlertState.ALERT_STATE_OPEN)
        .clearResolvedAtUnixNanos()
        .build();
  }

  private static Alert.Builder resolved(Alert before) {
    return next(before, AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setResolvedAtUnixNanos(unixNanos(A_SECOND_LATER));
  }

  private void send(Alert alert) throws Exception {
    harness.processElement(alert, 0);
  }
}
