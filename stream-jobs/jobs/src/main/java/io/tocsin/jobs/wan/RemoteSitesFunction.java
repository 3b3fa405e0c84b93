package io.tocsin.jobs.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.wan.EpisodeAlerts;
import io.tocsin.correlation.wan.LinkUpdate;
import io.tocsin.correlation.wan.RemoteSite;
import io.tocsin.correlation.wan.RemoteSiteRules;
import io.tocsin.correlation.wan.RemoteSiteRules.Transition;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.jobs.TimedValue;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.wan.v1.WanEpisode;
import java.io.IOException;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** As {@link KeyedRulesFunction}, with the alerts of the episodes as a side output. */
final class RemoteSitesFunction extends KeyedProcessFunction<String, LinkUpdate, WanEpisode> {
  /** Alert updates of the episodes. */
  static final OutputTag<Event> ALERTS =
      new OutputTag<>("alerts", ProtobufTypeInfo.forMessage(Event.class));

  private transient RemoteSiteRules rules;
  private transient TimedValue<RemoteSite> state;

  @Override
  public void open(OpenContext context) {
    rules = new RemoteSiteRules();
    state =
        TimedValue.of(getRuntimeContext(), "remote-site", RemoteSite.class, TimeDomain.EVENT_TIME);
  }

  @Override
  public void processElement(LinkUpdate update, Context context, Collector<WanEpisode> out)
      throws IOException {
    follow(rules.onInput(state.value(), update), context, out);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<WanEpisode> out)
      throws IOException {
    RemoteSite due = state.due(timestampMillis);
    if (due != null) {
      follow(rules.onTimer(due, Nanos.ofMillis(timestampMillis)), context, out);
    }
  }

  private void follow(Step<RemoteSite, Transition> step, Context context, Collector<WanEpisode> out)
      throws IOException {
    for (Transition transition : step.decisions()) {
      out.collect(transition.episode());
      if (!transition.isLateCause()) {
        context.output(ALERTS, EpisodeAlerts.of(transition.episode()));
      }
    }
    state.save(step, context.timerService());
  }
}
