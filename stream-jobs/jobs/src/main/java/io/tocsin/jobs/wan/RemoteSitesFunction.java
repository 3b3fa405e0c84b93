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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * As {@link KeyedRulesFunction}, with the alerts of the episodes as a side output, and in the order
 * of event time: the links to one place are other instances' links, and after a restart one of
 * those may have told the whole of what was missed before another tells its first word. So an
 * update waits until the stream has reached its time, which it does with the tick that made it.
 */
final class RemoteSitesFunction extends KeyedProcessFunction<String, LinkUpdate, WanEpisode> {
  /** Alert updates of the episodes. */
  static final OutputTag<Event> ALERTS =
      new OutputTag<>("alerts", ProtobufTypeInfo.forMessage(Event.class));

  private static final MapStateDescriptor<Long, List<LinkUpdate>> PENDING =
      new MapStateDescriptor<>(
          "pending", Types.LONG, Types.LIST(TypeInformation.of(LinkUpdate.class)));

  private transient RemoteSiteRules rules;
  private transient TimedValue<RemoteSite> state;

  /** Updates whose time has not come, by their time. */
  private transient MapState<Long, List<LinkUpdate>> pending;

  @Override
  public void open(OpenContext context) {
    rules = new RemoteSiteRules();
    state = TimedValue.oneOfSeveral(getRuntimeContext(), "remote-site", RemoteSite.class);
    pending = getRuntimeContext().getMapState(PENDING);
  }

  @Override
  public void processElement(LinkUpdate update, Context context, Collector<WanEpisode> out)
      throws Exception {
    List<LinkUpdate> updates = new ArrayList<>();
    if (pending.contains(context.timestamp())) {
      updates.addAll(pending.get(context.timestamp()));
    }
    updates.add(update);
    pending.put(context.timestamp(), updates);
    context.timerService().registerEventTimeTimer(context.timestamp());
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<WanEpisode> out)
      throws Exception {
    for (LinkUpdate update : takeDue(timestampMillis)) {
      follow(rules.onInput(state.value(), update), context, out);
    }
    RemoteSite due = state.due(timestampMillis);
    if (due != null) {
      follow(rules.onTimer(due, Nanos.ofMillis(timestampMillis)), context, out);
    }
  }

  /** In the order of the links' names; those of one link stay as they came. */
  private List<LinkUpdate> takeDue(long timestampMillis) throws Exception {
    if (!pending.contains(timestampMillis)) {
      return List.of();
    }
    List<LinkUpdate> updates = new ArrayList<>(pending.get(timestampMillis));
    pending.remove(timestampMillis);
    updates.sort(Comparator.comparing(LinkUpdate::linkId));
    return updates;
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
