package io.tocsin.correlation.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.DnsAnswer;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.LinkProbe;
import io.tocsin.testsupport.TestEvents;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ResolverRulesTest {
  private static final Consumer<DnsAnswer.Builder> AS_IT_IS = answer -> {};

  private final ResolverRules rules = new ResolverRules(10, 200);
  private final List<String> told = new ArrayList<>();
  private final List<AlertUpdate> updates = new ArrayList<>();
  private ResolverState state;

  private void take(Step<ResolverState, Event> step) {
    state = step.state();
    for (Event event : step.decisions()) {
      AlertUpdate update = event.getAlertUpdate();
      updates.add(update);
      told.add(update.getCheck() + " " + update.getSeverity().name().replace("SEVERITY_", ""));
    }
  }

  private void take(Event event, Consumer<DnsAnswer.Builder> change) {
    Event.Builder changed = event.toBuilder().setRole("resolver");
    change.accept(changed.getDnsAnswerBuilder());
    assertThat(rules.concerns(changed.build())).isTrue();
    take(rules.onInput(state, changed.build()));
  }

  private void alike(int second) {
    take(TestEvents.dnsAnswer(second, at(second)), AS_IT_IS);
  }

  private void denied(int second) {
    take(TestEvents.deniedDnsAnswer(second, at(second)), AS_IT_IS);
  }

  private void lost(int second) {
    take(TestEvents.lostDnsAnswer(second, at(second)), AS_IT_IS);
  }

  private void timed(int second, double ms) {
    take(TestEvents.dnsAnswer(second, at(second)), answer -> answer.setRttMs(ms));
  }

  private static Instant at(int second) {
    return NOON.plusSeconds(second);
  }

  @Test
  void differenceIsToldOnceWhatTheResolverMayKeepIsOver() {
    for (int second = 0; second < 600; second += 30) {
      denied(second);
    }
    assertThat(told).as("its answer may be kept for 600 s").isEmpty();
    denied(600);
    denied(630);

    assertThat(told).containsExactly("resolver-disagrees MAJOR");
    AlertUpdate update = updates.get(0);
    assertThat(update.getSummary())
        .isEqualTo(
            "resolver ns1 of lab answers www.example.com A with NXDOMAIN, others with NOERROR"
                + " 192.0.2.1");
    assertThat(update.getFingerprintLabelsList()).containsExactly("group");
    assertThat(update.getLabelsMap())
        .containsEntry("group", "lab")
        .containsEntry("role", "resolver")
        .containsEntry("question", "www.example.com A")
        .containsEntry("questions", "1");

    alike(660);
    assertThat(told).hasSize(1);
    alike(690);
    assertThat(told).containsExactly("resolver-disagrees MAJOR", "resolver-disagrees CLEARED");
  }

  @Test
  void answerThatMayNotBeKeptIsWaitedForTooBecauseAChangeNeedsItsTime() {
    for (int second = 0; second < 270; second += 30) {
      take(TestEvents.deniedDnsAnswer(second, at(second)), answer -> answer.clearTtlS());
    }
    assertThat(told).isEmpty();
    take(TestEvents.deniedDnsAnswer(270, at(270)), answer -> answer.clearTtlS());

    assertThat(told).containsExactly("resolver-disagrees MAJOR");
  }

  @Test
  void propagationThatEndsInTimeIsNotTold() {
    for (int second = 0; second < 570; second += 30) {
      denied(second);
    }
    for (int second = 570; second < 3_000; second += 30) {
      alike(second);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void manyQuestionsAreOneAlertOfTheOneThatHasLastedLongest() {
    for (int second = 0; second <= 930; second += 30) {
      for (String name : second == 0 ? List.of("b.example") : List.of("a.example", "b.example")) {
        take(TestEvents.deniedDnsAnswer(second, at(second)), answer -> answer.setQueryName(name));
      }
    }

    assertThat(told).containsExactly("resolver-disagrees MAJOR");
    assertThat(updates.get(0).getLabelsMap()).containsEntry("question", "b.example A");
  }

  @Test
  void timeToLiveThatNobodyCouldMeanExplainsADayAndNoLonger() {
    for (int minute = 0; minute <= 1_440; minute += 5) {
      int second = minute * 60;
      take(TestEvents.deniedDnsAnswer(second, at(second)), answer -> answer.setTtlS(-1));
      assertThat(told.isEmpty()).isEqualTo(minute < 1_440);
    }
  }

  @Test
  void medianAboveTheLimitIsSlowAndBelowHalfOfItNoMore() {
    for (int second = 0; second < 9; second++) {
      timed(second, 900);
    }
    assertThat(told).as("too few to judge").isEmpty();
    timed(9, 900);
    assertThat(told).containsExactly("resolver-slow MINOR");
    assertThat(updates.get(0).getSummary())
        .isEqualTo("resolver ns1 of lab answers in 900 ms, the median of its newest answers");

    for (int second = 10; second < 40; second++) {
      timed(second, 150);
    }
    assertThat(told).hasSize(1);
    for (int second = 40; second < 60; second++) {
      timed(second, 20);
    }
    assertThat(told).containsExactly("resolver-slow MINOR", "resolver-slow CLEARED");
  }

  @Test
  void oneSlowNameAmongQuickOnesMakesNoSlowResolver() {
    for (int second = 0; second < 100; second++) {
      timed(second, second % 3 == 0 ? 1_900 : 5);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void silenceIsToldAfterThreeQuestionsAndTwoIntervalsAndEndsWithThreeAnswers() {
    lost(0);
    lost(1);
    lost(2);
    assertThat(told).as("a moment is no silence").isEmpty();
    lost(60);
    assertThat(told).containsExactly("resolver-silent MAJOR");

    alike(90);
    lost(120);
    alike(150);
    alike(180);
    assertThat(told).hasSize(1);
    alike(210);
    assertThat(told).containsExactly("resolver-silent MAJOR", "resolver-silent CLEARED");
  }

  @Test
  void questionThatCouldNotBeSentSaysNothing() {
    Event.Builder event = TestEvents.lostDnsAnswer(1, NOON).toBuilder();
    event.getDnsAnswerBuilder().setLossReason(LinkProbe.LossReason.LOSS_REASON_NOT_SENT);

    assertThat(rules.concerns(event.build())).isFalse();
    assertThat(rules.concerns(TestEvents.probe(1, NOON, 10))).isFalse();
  }

  @Test
  void everythingIsOverWhenNobodyAsksAnyMore() {
    for (int second = 0; second <= 600; second += 30) {
      take(TestEvents.deniedDnsAnswer(second, at(second)), answer -> answer.setRttMs(900));
    }
    for (int second = 630; second <= 690; second += 30) {
      lost(second);
    }
    assertThat(told)
        .containsExactly(
            "resolver-slow MINOR", "resolver-disagrees MAJOR", "resolver-silent MAJOR");

    take(rules.onTimer(state, unixNanos(at(690 + 900))));
    assertThat(state).isNull();
    assertThat(told.subList(3, 6))
        .containsExactly(
            "resolver-disagrees CLEARED", "resolver-slow CLEARED", "resolver-silent CLEARED");
  }

  @Test
  void whatHoldsIsRepeatedEachHour() {
    for (int second = 0; second <= 600 + 7_200; second += 30) {
      denied(second);
    }

    assertThat(told).containsOnly("resolver-disagrees MAJOR").hasSize(3);
  }

  @Test
  void resolversAndGroupsAreJudgedEachForItself() {
    Event one = TestEvents.dnsAnswer(1, NOON);
    Event.Builder other = one.toBuilder();
    other.getDnsAnswerBuilder().setResolverGroup("other");

    assertThat(rules.keyOf(one))
        .isNotEqualTo(rules.keyOf(one.toBuilder().setDevice("ns2").build()))
        .isNotEqualTo(rules.keyOf(other.build()));
  }
}
