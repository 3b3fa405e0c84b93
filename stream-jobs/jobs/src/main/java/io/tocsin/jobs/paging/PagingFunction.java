package io.tocsin.jobs.paging;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.paging.Page;
import io.tocsin.correlation.paging.PagingRules;
import io.tocsin.jobs.TimedValue;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** {@link PagingRules} by fingerprint, on this job's clock. */
final class PagingFunction extends KeyedProcessFunction<String, Alert, Alert> {
  private final Duration resendInterval;
  private transient PagingRules rules;
  private transient TimedValue<Page> state;

  PagingFunction(Duration resendInterval) {
    this.resendInterval = resendInterval;
  }

  @Override
  public void open(OpenContext context) {
    rules = new PagingRules(resendInterval);
    state = TimedValue.of(getRuntimeContext(), "page", Page.class, TimeDomain.PROCESSING_TIME);
  }

  @Override
  public void processElement(Alert alert, Context context, Collector<Alert> out)
      throws IOException {
    long now = Nanos.ofMillis(context.timerService().currentProcessingTime());
    follow(rules.onInput(state.value(), new PagingRules.Word(alert, now)), context, out);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Alert> out)
      throws IOException {
    Page due = state.due(timestampMillis);
    if (due != null) {
      long now = Nanos.ofMillis(context.timerService().currentProcessingTime());
      follow(rules.onTimer(due, now), context, out);
    }
  }

  private void follow(Step<Page, Alert> step, Context context, Collector<Alert> out)
      throws IOException {
    step.decisions().forEach(out::collect);
    state.save(step, context.timerService());
  }
}
