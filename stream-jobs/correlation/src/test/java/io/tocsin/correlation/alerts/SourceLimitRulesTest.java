package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.Instants;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SourceLimitRulesTest {
  private static final int LIMIT = 10_000;
  private static final Duration EXPIRES_AFTER = Duration.ofHours(10);
  private static final Duration FORGET_AFTER = Duration.ofHours(24);

  private SourceLimitRules rules = new SourceLimitRules(LIMIT, FORGET_AFTER);
  private final Map<String, SourceAlerts> states = new HashMap<>();
  private final List<Signal> passed = new ArrayList<>();
  private final List<Signal> told = new ArrayList<>();
  private int refused;

  @Test
  void strangerCannotOpenAlertsWithoutEnd() {
    for (int i = 0; i < 10 * LIMIT; i++) {
      raise("stranger", i, 0);
    }

    assertThat(passed).hasSizeBetween(9 * LIMIT / 10, LIMIT + SourceLimitRules.SHARES);
    assertThat(refused).isEqualTo(10 * LIMIT - passed.size());
    assertThat(states).hasSize(SourceLimitRules.SHARES);
    assertThat(states.values())
        .allMatch(
            state -> state.forgottenAtUnixNanos.size() <= LIMIT / SourceLimitRules.SHARES + 1);
  }

  @Test
  void refusalIsToldWithTheNameOfTheSourceOnceAMinuteAndShare() {
    for (int second : new int[] {0, 30, 60, 89}) {
      for (int i = 0; i < 2 * LIMIT; i++) {
        raise("stranger", i, second);
      }
    }

    assertThat(told).hasSize(2 * SourceLimitRules.SHARES);
    assertThat(told.stream().map(Fingerprint::of).distinct()).hasSize(1);
    assertThat(told.get(0).getSummary()).contains("source stranger");
    assertThat(told.get(0).getExpiresAfterSeconds()).isEqualTo(3_600);
  }

  @Test
  void sourcesWithoutEndShareAFixedNumberOfRooms() {
    int limit = 4 * SourceLimitRules.SHARES;
    int most = SourceLimitRules.ROOMS * limit;
    rules = new SourceLimitRules(limit, FORGET_AFTER);
    for (int i = 0; i < 2 * most; i++) {
      raise("stranger-" + i, i, 0);
    }

    assertThat(passed).hasSizeBetween(9 * most / 10, most);
    assertThat(refused).isEqualTo(2 * most - passed.size());
    assertThat(states).hasSize(SourceLimitRules.ROOMS * SourceLimitRules.SHARES);
    assertThat(told.stream().map(Fingerprint::of).distinct()).hasSize(SourceLimitRules.ROOMS);
  }

  @Test
  void whatIsKnownAndOtherSourcesGoOn() {
    for (int i = 0; i < 2 * LIMIT; i++) {
      raise("stranger", i, 0);
    }
    List<Signal> known = List.copyOf(passed);
    passed.clear();

    known.forEach(signal -> take(later(signal, Signal.Kind.KIND_RAISE, 1)));
    known.forEach(signal -> take(later(signal, Signal.Kind.KIND_CLEAR, 2)));
    raise("hyak", 1, 3);

    assertThat(passed).hasSize(2 * known.size() + 1);
  }

  @Test
  void thereIsRoomAgainWhenAlertsAreForgotten() {
    for (int i = 0; i < 2 * LIMIT; i++) {
      raise("stranger", i, 0);
    }
    passed.clear();
    int afterwards = (int) EXPIRES_AFTER.plus(FORGET_AFTER).toSeconds();

    raise("stranger", 3 * LIMIT, afterwards - 1);
    assertThat(passed).isEmpty();
    raise("stranger", 3 * LIMIT, afterwards);

    assertThat(passed).hasSize(1);
  }

  @Test
  void quietSourceLeavesNothing() {
    raise("hyak", 1, 0);
    SourceAlerts state = states.values().iterator().next();
    Duration life = EXPIRES_AFTER.plus(FORGET_AFTER);

    Step<SourceAlerts, Signal> early = rules.onTimer(state, Instants.unixNanos(NOON));
    assertThat(early.nextTimerUnixNanos()).isEqualTo(Instants.unixNanos(NOON.plus(life)));
    Step<SourceAlerts, Signal> last = rules.onTimer(state, Instants.unixNanos(NOON.plus(life)));

    assertThat(last.state()).isNull();
  }

  private void raise(String source, int device, int second) {
    Event event = TestEvents.raise(device, NOON.plusSeconds(second));
    Event.Builder named = event.toBuilder().setDevice("d" + device);
    named.getAlertUpdateBuilder().setSource(source);
    take(UpdateSignals.of(named.build(), UpdateExpiry.of(EXPIRES_AFTER)).orElseThrow());
  }

  private static Signal later(Signal signal, Signal.Kind kind, int second) {
    return signal.toBuilder()
        .setKind(kind)
        .setReceivedAtUnixNanos(Instants.unixNanos(NOON.plusSeconds(second)))
        .build();
  }

  private void take(Signal signal) {
    String key = SourceLimitRules.keyOf(signal);
    Step<SourceAlerts, Signal> step = rules.onInput(states.get(key), signal);
    states.put(key, step.state());
    refused += step.evicted();
    for (Signal decision : step.decisions()) {
      (decision.getCheck().equals("source-limit") ? told : passed).add(decision);
    }
  }
}
