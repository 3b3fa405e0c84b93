package io.tocsin.jobs.wan;

import io.tocsin.correlation.wan.EpisodeAlerts;
import io.tocsin.correlation.wan.LinkNews;
import io.tocsin.correlation.wan.RemoteSite;
import io.tocsin.correlation.wan.RemoteSiteRules;
import io.tocsin.correlation.wan.RemoteSiteRules.Told;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.wan.v1.WanEpisode;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Loads what is known of a place at the other end, asks {@link RemoteSiteRules}, saves the answer.
 * Alerts go to a side output. No rule stands here; {@link RemoteSite} says what bounds its state.
 */
final class RemoteSitesFunction extends KeyedProcessFunction<String, LinkNews, WanEpisode> {
  /** Alert updates of the episodes. */
  static final OutputTag<Event> ALERTS =
      new OutputTag<>("alerts", ProtobufTypeInfo.forMessage(Event.class));

  private static final long NANOS_PER_MILLI = 1_000_000;

  private transient RemoteSiteRules rules;
  private transient ValueState<RemoteSite> remoteSite;

  @Override
  public void open(OpenContext context) {
    rules = new RemoteSiteRules();
    remoteSite =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>("remote-site", TypeInformation.of(RemoteSite.class)));
  }

  @Override
  public void processElement(LinkNews news, Context context, Collector<WanEpisode> out)
      throws Exception {
    RemoteSite site = remoteSite.value() == null ? new RemoteSite() : remoteSite.value();
    for (Told told : rules.onNews(site, news)) {
      out.collect(told.episode());
      if (!told.isLateCause()) {
        context.output(ALERTS, EpisodeAlerts.of(told.episode()));
      }
    }
    if (news.episode().length > 0) {
      long forgetAt = news.atUnixNanos() + RemoteSiteRules.FORGET_CLOSED_NANOS;
      context.timerService().registerEventTimeTimer(forgetAt / NANOS_PER_MILLI + 1);
    }
    save(site);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<WanEpisode> out)
      throws Exception {
    RemoteSite site = remoteSite.value();
    if (site != null) {
      rules.forget(site, timestampMillis * NANOS_PER_MILLI);
      save(site);
    }
  }

  private void save(RemoteSite site) throws Exception {
    remoteSite.update(site.isEmpty() ? null : site);
  }
}
