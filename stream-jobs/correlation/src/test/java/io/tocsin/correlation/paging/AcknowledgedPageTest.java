package io.tocsin.correlation.paging;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Alertmanager is told of an alert that somebody works on. */
class AcknowledgedPageTest {
  private static final long RESEND_NANOS = 60 * Nanos.PER_SECOND;

  private final PagingRules rules = new PagingRules(Duration.ofNanos(RESEND_NANOS));
  private final List<Alert> posts = new ArrayList<>();
  private Page page;
  private long version;

  @Test
  void staysPostedBesideWhatInhibitsIt() {
    say(opened());
    say(acknowledged("ada"));

    assertThat(posts()).containsExactly("node major", "node major", "acknowledged major");
    assertThat(posts.get(2).getFingerprint()).isEqualTo(posts.get(1).getFingerprint());
    assertThat(posts.get(1).getLabelsMap()).isEqualTo(posts.get(0).getLabelsMap());
    assertThat(posts.get(1).getAcknowledgedBy()).isEqualTo("ada");
    posts.clear();
    follow(rules.onTimer(page, RESEND_NANOS));
    assertThat(posts()).containsExactly("node major", "acknowledged major");
  }

  @Test
  void endOfTheAlertEndsBoth() {
    say(opened());
    say(acknowledged("ada"));
    posts.clear();
    say(resolved());

    assertThat(posts()).containsExactly("node major over", "acknowledged major over");
  }

  @Test
  void worseAlertIsNewThereAndInhibitedByNothing() {
    say(opened());
    say(acknowledged("ada"));
    posts.clear();
    say(active(AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED, Severity.SEVERITY_CRITICAL));

    assertThat(posts())
        .containsExactly("node major over", "node critical", "acknowledged major over");
  }

  @Test
  void betterAlertKeepsThePageThatSomebodyWorksOn() {
    say(opened());
    say(acknowledged("ada"));
    posts.clear();
    say(
        active(AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED, Severity.SEVERITY_MINOR)
            .setAcknowledgedBy("ada"));
    assertThat(posts).isEmpty();

    say(active(AlertTransition.ALERT_TRANSITION_UNACKNOWLEDGED, Severity.SEVERITY_MINOR));
    assertThat(posts()).containsExactly("node major over", "node minor", "acknowledged major over");
  }

  @Test
  void alertThatOutlivesItsAcknowledgementPagesAnewEachTime() {
    say(opened());
    say(acknowledged("ada"));
    posts.clear();
    say(active(AlertTransition.ALERT_TRANSITION_UNACKNOWLEDGED, Severity.SEVERITY_MAJOR));
    assertThat(posts())
        .containsExactly(
            "node major over", "node major acknowledgement", "acknowledged major over");

    say(acknowledged("bob"));
    posts.clear();
    say(active(AlertTransition.ALERT_TRANSITION_UNACKNOWLEDGED, Severity.SEVERITY_MAJOR));
    assertThat(posts())
        .containsExactly(
            "node major acknowledgement over",
            "node major another acknowledgement",
            "acknowledged major over");
  }

  @Test
  void alertThatIsSuppressedMeanwhileIsInhibitedAgainAfterwards() {
    say(opened());
    say(acknowledged("ada"));
    posts.clear();
    say(acknowledged("ada").setState(AlertState.ALERT_STATE_SUPPRESSED).setCause("maintenance:w"));
    assertThat(posts()).containsExactly("node major over", "acknowledged major over");
    posts.clear();
    say(acknowledged("ada").setTransition(AlertTransition.ALERT_TRANSITION_UNSUPPRESSED));

    assertThat(posts()).containsExactly("node major maintenance", "acknowledged major");
  }

  @Test
  void noteIsPostedAndInhibitsNothing() {
    say(opened());
    posts.clear();
    say(active(AlertTransition.ALERT_TRANSITION_NOTED, Severity.SEVERITY_MAJOR).setNote("called"));

    assertThat(posts()).containsExactly("node major");
    assertThat(posts.get(0).getNote()).isEqualTo("called");
  }

  private void say(Alert.Builder alert) {
    version++;
    follow(rules.onInput(page, new PagingRules.Word(alert.setVersion(version).build(), 0)));
  }

  private void follow(Step<Page, Alert> step) {
    page = step.state();
    posts.addAll(step.decisions());
  }

  private List<String> posts() {
    return posts.stream()
        .map(
            post ->
                String.join(
                        " ",
                        post.getCheck(),
                        post.getSeverity().name().replace("SEVERITY_", "").toLowerCase(),
                        post.getLabelsOrDefault(PagingRules.OUTLIVED, ""),
                        post.hasResolvedAtUnixNanos() ? "over" : "")
                    .replaceAll(" +", " ")
                    .strip())
        .toList();
  }

  private static Alert.Builder opened() {
    return active(AlertTransition.ALERT_TRANSITION_OPENED, Severity.SEVERITY_MAJOR);
  }

  private static Alert.Builder acknowledged(String by) {
    return active(AlertTransition.ALERT_TRANSITION_ACKNOWLEDGED, Severity.SEVERITY_MAJOR)
        .setAcknowledgedBy(by);
  }

  private static Alert.Builder resolved() {
    return active(AlertTransition.ALERT_TRANSITION_RESOLVED, Severity.SEVERITY_MAJOR)
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setResolvedAtUnixNanos(2);
  }

  private static Alert.Builder active(AlertTransition transition, Severity severity) {
    return Alert.newBuilder()
        .setFingerprint("f1")
        .setState(AlertState.ALERT_STATE_OPEN)
        .setTransition(transition)
        .setSeverity(severity)
        .setSource("hyak")
        .setDevice("n0418")
        .setCheck("node")
        .putLabels("rack", "b4")
        .setFirstSeenUnixNanos(1);
  }
}
