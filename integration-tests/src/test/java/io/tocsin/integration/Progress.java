package io.tocsin.integration;

import java.time.Duration;
import org.awaitility.core.ConditionEvaluationListener;
import org.awaitility.core.EvaluatedCondition;

/** Says every two seconds what is waited for. */
final class Progress implements ConditionEvaluationListener<Object> {
  private static final Duration INTERVAL = Duration.ofSeconds(2);

  private final String who;
  private long saidAtMillis;

  Progress(String who) {
    this.who = who;
  }

  @Override
  public void conditionEvaluated(EvaluatedCondition<Object> condition) {
    long elapsedMillis = condition.getElapsedTimeInMS();
    if (!condition.isSatisfied() && elapsedMillis - saidAtMillis >= INTERVAL.toMillis()) {
      saidAtMillis = elapsedMillis;
      System.out.printf(
          "[%s] waiting for %s (%d s)%n", who, condition.getAlias(), elapsedMillis / 1_000);
    }
  }
}
