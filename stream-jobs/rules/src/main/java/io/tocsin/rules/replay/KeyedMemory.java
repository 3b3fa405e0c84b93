package io.tocsin.rules.replay;

import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Loads what is known of a key, asks the rules, saves and does what they answer, as the operators
 * of the jobs do: in memory.
 */
public final class KeyedMemory<I, S extends TimedState, D> {
  private final KeyedRules<I, S, D> rules;
  private final Map<String, S> states = new HashMap<>();
  private final TreeMap<Long, Set<String>> keysByMillis = new TreeMap<>();

  /** Nothing is known yet. */
  public KeyedMemory(KeyedRules<I, S, D> rules) {
    this.rules = rules;
  }

  /** Takes what came for a key. */
  public void onInput(String key, I input, Consumer<D> out) {
    S known = states.get(key);
    long timer = known == null ? Step.NO_TIMER : known.timerUnixMillis;
    follow(key, timer, rules.onInput(known, input), out);
  }

  /** When the next timer is, {@link Step#NO_TIMER} for none. */
  public long nextMillis() {
    return keysByMillis.isEmpty() ? Step.NO_TIMER : keysByMillis.firstKey();
  }

  /** Fires what is due, in order of time. */
  public void fireUntil(long millis, Consumer<D> out) {
    while (nextMillis() <= millis && nextMillis() != Step.NO_TIMER) {
      long due = nextMillis();
      List<String> keys = new ArrayList<>(keysByMillis.remove(due));
      for (String key : keys) {
        S state = states.get(key);
        if (state != null && state.timerUnixMillis == due) {
          state.timerUnixMillis = Step.NO_TIMER;
          follow(key, Step.NO_TIMER, rules.onTimer(state, Nanos.ofMillis(due)), out);
        }
      }
    }
  }

  private void follow(String key, long timer, Step<S, D> step, Consumer<D> out) {
    S next = step.state();
    if (next == null) {
      forgetTimer(key, timer);
      states.remove(key);
    } else {
      states.put(key, next);
      long wanted =
          step.nextTimerUnixNanos() == Step.NO_TIMER
              ? Step.NO_TIMER
              : Nanos.toMillisUp(step.nextTimerUnixNanos());
      if (wanted < timer) {
        forgetTimer(key, timer);
        keysByMillis.computeIfAbsent(wanted, millis -> new TreeSet<>()).add(key);
        next.timerUnixMillis = wanted;
      }
    }
    step.decisions().forEach(out);
  }

  private void forgetTimer(String key, long millis) {
    Set<String> keys = keysByMillis.get(millis);
    if (keys != null && keys.remove(key) && keys.isEmpty()) {
      keysByMillis.remove(millis);
    }
  }
}
