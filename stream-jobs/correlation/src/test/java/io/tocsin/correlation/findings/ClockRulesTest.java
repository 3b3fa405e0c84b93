package io.tocsin.correlation.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClockRulesTest {
  private static final Duration LOCAL_TIME = Duration.ofHours(5);

  private final ClockRules rules = new ClockRules(Duration.ofMinutes(5));
  private final List<AlertUpdate> told = new ArrayList<>();
  private WrongClocks state;
  private int evicted;

  @Test
  void deviceThatTellsLocalTimeIsToldOnceWithItsOffset() {
    for (int second = 0; second <= 300; second += 30) {
      syslog("r1", second, LOCAL_TIME.negated());
    }

    assertThat(told).hasSize(1);
    assertThat(told.get(0).getSummary()).isEqualTo("the clock of r1 is behind by 5 h 0 min");
    assertThat(told.get(0).getLabelsMap())
        .containsEntry("role", "router")
        .containsEntry("offset_seconds", "-18000")
        .containsEntry("events", "3");
  }

  @Test
  void clockThatGoesOnBeingWrongIsCounted() {
    for (int second = 0; second <= 720; second += 60) {
      syslog("r1", second, LOCAL_TIME);
    }

    assertThat(told)
        .extracting(update -> update.getLabelsOrThrow("events"))
        .containsExactly("3", "13");
  }

  @Test
  void clockThatIsWrongForAMomentIsNotTold() {
    for (int second = 0; second < 60; second++) {
      syslog("r1", second, LOCAL_TIME);
    }
    syslog("r2", 0, LOCAL_TIME);
    syslog("r2", 100, LOCAL_TIME);

    assertThat(told).isEmpty();
  }

  @Test
  void clockWithinTheBoundSaysNothing() {
    Event event = said("r1", 0, Duration.ofMinutes(-5));

    assertThat(rules.reading(event, event.getReceivedAtUnixNanos())).isEmpty();
  }

  @Test
  void clockThatIsRightAgainIsCleared() {
    for (int second = 0; second <= 90; second += 30) {
      syslog("r1", second, LOCAL_TIME);
    }
    timer(90 + 1_799);
    assertThat(told).hasSize(1);

    timer(90 + 1_800);

    assertThat(told).hasSize(2);
    assertThat(told.get(1).getAction()).isEqualTo(AlertUpdate.Action.ACTION_DELETE);
    assertThat(state).isNull();
  }

  @Test
  void monitorThatTellsTheFutureIsToldUnderItsOwnNameAndNotUnderItsDevices() {
    for (int second = 0; second <= 90; second += 30) {
      update("n" + second, second, LOCAL_TIME);
    }

    assertThat(told)
        .extracting(AlertUpdate::getSummary)
        .containsExactly("the clock of hyak is ahead by 5 h 0 min");
  }

  /** What a monitor has kept, or asked long ago, is as old as it says. */
  @Test
  void monitorThatTellsThePastMayBeRight() {
    for (int second = 0; second <= 90; second += 30) {
      update("n1", second, LOCAL_TIME.negated());
    }

    assertThat(told).isEmpty();
  }

  @Test
  void findingsOfOurOwnAreNotHeldAgainstAnything() {
    Event update =
        updated("n1", 0, LOCAL_TIME).toBuilder().setAgentId(Finding.FINDINGS_JOB).build();

    assertThat(rules.reading(update, update.getReceivedAtUnixNanos())).isEmpty();
  }

  /** Summer time, or a hand that set it wrong in another way. */
  @Test
  void otherOffsetIsNews() {
    for (int second = 0; second <= 90; second += 30) {
      syslog("r1", second, LOCAL_TIME);
    }
    for (int second = 120; second <= 240; second += 30) {
      syslog("r1", second, LOCAL_TIME.plusHours(1));
    }

    assertThat(told)
        .extracting(update -> update.getLabelsOrThrow("offset_seconds"))
        .containsExactly("18000", "21600");
  }

  @Test
  void agentThatIsAheadOfTheBrokerIsTold() {
    for (int second = 0; second <= 60; second++) {
      heartbeat(second, Duration.ofHours(2));
    }

    assertThat(told).hasSize(1);
    assertThat(told.get(0).getSummary())
        .isEqualTo("the clock of agent agent-1 is ahead by 2 h 0 min");
    assertThat(told.get(0).getFingerprintLabelsList()).containsExactly("agent_id");
    assertThat(told.get(0).getLabelsMap())
        .containsEntry("agent_id", "agent-1")
        .containsEntry("offset_seconds", "7200");
  }

  @Test
  void agentThatIsBehindTheBrokerIsTold() {
    for (int second = 0; second <= 60; second++) {
      heartbeat(second, Duration.ofMinutes(-3));
    }

    assertThat(told)
        .extracting(AlertUpdate::getSummary)
        .containsExactly("the clock of agent agent-1 is behind by 3 min 0 s");
  }

  /** An hour without Kafka comes back twice as fast as it went by. */
  @Test
  void agentThatTellsWhatItHadSpooledIsNotToldAsWrong() {
    for (int second = 0; second <= 3_600; second++) {
      heartbeat(second, Duration.ofSeconds(second - 3_600));
    }

    assertThat(told).isEmpty();
  }

  @Test
  void strangersCannotFillTheStateAndWhatGoesIsCleared() {
    for (int second = 0; second <= 90; second += 30) {
      syslog("r1", second, LOCAL_TIME);
    }
    for (int i = 0; i < 1_000; i++) {
      syslog("stranger-" + i, 100, LOCAL_TIME);
    }

    assertThat(state.clocks).hasSize(ClockRules.MOST_CLOCKS);
    assertThat(evicted).isEqualTo(1_001 - ClockRules.MOST_CLOCKS);
    assertThat(told).hasSize(2);
    assertThat(told.get(1).getAction()).isEqualTo(AlertUpdate.Action.ACTION_DELETE);
  }

  @Test
  void namesWithoutEndShareAFixedNumberOfKeys() {
    long keys =
        IntStream.range(0, 10_000)
            .mapToObj(i -> new ClockReading(false, "stranger-" + i, "", "", "", 1, 1))
            .map(ClockRules::keyOf)
            .distinct()
            .count();

    assertThat(keys).isEqualTo(256);
  }

  private void syslog(String device, int second, Duration ahead) {
    Event event = said(device, second, ahead);
    take(event, event.getReceivedAtUnixNanos());
  }

  private void update(String device, int second, Duration ahead) {
    Event event = updated(device, second, ahead);
    take(event, event.getReceivedAtUnixNanos());
  }

  private static Event updated(String device, int second, Duration ahead) {
    return TestEvents.raise(second, NOON.plusSeconds(second)).toBuilder()
        .setDevice(device)
        .setEventTimeUnixNanos(unixNanos(NOON.plusSeconds(second).plus(ahead)))
        .build();
  }

  private static Event said(String device, int second, Duration ahead) {
    return TestEvents.syslog(second, NOON.plusSeconds(second)).toBuilder()
        .setDevice(device)
        .setRole("router")
        .setEventTimeUnixNanos(unixNanos(NOON.plusSeconds(second).plus(ahead)))
        .build();
  }

  private void heartbeat(int second, Duration ahead) {
    Event event = TestEvents.agentStats(second, NOON.plusSeconds(second).plus(ahead));
    take(event, unixNanos(NOON.plusSeconds(second)));
  }

  private void take(Event event, long brokerUnixNanos) {
    rules
        .reading(event, brokerUnixNanos)
        .ifPresent(reading -> follow(rules.onInput(state, reading)));
  }

  private void timer(int second) {
    follow(rules.onTimer(state, unixNanos(NOON.plusSeconds(second))));
  }

  private void follow(Step<WrongClocks, Event> step) {
    state = step.state();
    evicted += step.evicted();
    step.decisions().forEach(event -> told.add(event.getAlertUpdate()));
  }
}
