package io.tocsin.correlation.wan;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.TrackedAlert;
import io.tocsin.correlation.alerts.UpdateSignals;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.events.v1.Event;
import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Cause;
import io.tocsin.wan.v1.WanEpisode.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpisodeAlertsTest {
  private static final WanEpisode OPENED =
      WanEpisode.newBuilder()
          .setEpisodeId("a/latency/0")
          .setLinkId("a")
          .setDevice("r1")
          .setKind(WanEpisode.Kind.KIND_LATENCY)
          .setState(State.STATE_OPEN)
          .setCause(Cause.CAUSE_UNEXPLAINED)
          .setVersion(1)
          .setChangedAtUnixNanos(at(1))
          .build();

  private final AlertRules rules = new AlertRules(AlertTiming.DEFAULT);
  private final List<Alert> told = new ArrayList<>();
  private TrackedAlert alert;

  @Test
  void clearIsHeardWhenAReplayCountsTheTransitionsDifferently() {
    hear(OPENED);
    hear(withCause(2));

    hear(withCause(1));
    hear(closed(2));

    assertThat(told)
        .extracting(Alert::getState)
        .containsExactly(AlertState.ALERT_STATE_OPEN, AlertState.ALERT_STATE_RESOLVED);
  }

  @Test
  void idIsWhatIsSaidAndNotHowOftenSomethingWasSaid() {
    assertThat(idOf(withCause(1))).isEqualTo(idOf(withCause(2)));
    assertThat(idOf(closed(2))).isNotEqualTo(idOf(withCause(2)));
    assertThat(idOf(OPENED)).isNotEqualTo(idOf(withCause(1)));
  }

  @Test
  void findingThatDiffersInSeverityOrSummaryAloneIsAnotherWord() {
    String major = finding(Severity.SEVERITY_MAJOR, "lost 5").getEventId();

    assertThat(finding(Severity.SEVERITY_MAJOR, "lost 5").getEventId()).isEqualTo(major);
    assertThat(finding(Severity.SEVERITY_CRITICAL, "lost 5").getEventId()).isNotEqualTo(major);
    assertThat(finding(Severity.SEVERITY_MAJOR, "lost 6").getEventId()).isNotEqualTo(major);
  }

  private void hear(WanEpisode episode) {
    Step<TrackedAlert, Alert> step =
        rules.onInput(alert, UpdateSignals.of(EpisodeAlerts.of(episode)).orElseThrow());
    alert = step.state();
    told.addAll(step.decisions());
  }

  private static WanEpisode withCause(long version) {
    return OPENED.toBuilder()
        .setVersion(version)
        .setCause(Cause.CAUSE_EGRESS_SATURATED)
        .setChangedAtUnixNanos(at(2))
        .build();
  }

  private static WanEpisode closed(long version) {
    return withCause(version).toBuilder()
        .setState(State.STATE_CLOSED)
        .setChangedAtUnixNanos(at(3))
        .build();
  }

  private static String idOf(WanEpisode episode) {
    return EpisodeAlerts.of(episode).getEventId();
  }

  private static Event finding(Severity severity, String summary) {
    return Finding.of(Finding.FINDINGS_JOB, "sequence-gaps", severity, "agent", "")
        .summary("%s", summary)
        .raise(at(1));
  }

  private static long at(int second) {
    return unixNanos(NOON.plusSeconds(second));
  }
}
