package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.match.Hysteresis;
import io.tocsin.rules.match.Player;
import io.tocsin.rules.match.RuleSet;
import io.tocsin.rules.v1.RuleDocument;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Makes signals of figures by the {@link RulesInForce}; {@link RuleSet} decides, this keeps.
 *
 * <p>State, keyed by device: one entry for each figure beyond its threshold. Calm figures have
 * none, and what nobody touches for a day is forgotten, so rules and devices that are gone leave
 * nothing.
 */
final class RulesFunction
    extends KeyedBroadcastProcessFunction<String, Event, RuleDocument, Signal> {
  private final RulesAtStart rulesAtStart;
  private transient RulesInForce inForce;
  private transient MapState<String, Hysteresis> figures;

  RulesFunction(RulesAtStart rulesAtStart) {
    this.rulesAtStart = rulesAtStart;
  }

  @Override
  public void open(OpenContext context) {
    MapStateDescriptor<String, Hysteresis> descriptor =
        new MapStateDescriptor<>("figures", Types.STRING, TypeInformation.of(Hysteresis.class));
    descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Player.FORGET_FIGURES_AFTER).build());
    figures = getRuntimeContext().getMapState(descriptor);
    inForce = new RulesInForce(rulesAtStart.read(), getRuntimeContext().getMetricGroup());
  }

  @Override
  public void processElement(Event event, ReadOnlyContext context, Collector<Signal> out)
      throws Exception {
    RuleSet rules = inForce.rules(context.getBroadcastState(RulesInForce.DOCUMENTS));
    RuleSet.Outcome outcome = rules.apply(event, this::figure);
    for (Map.Entry<String, Hysteresis> changed : outcome.changed().entrySet()) {
      if (changed.getValue() == null) {
        figures.remove(changed.getKey());
      } else {
        figures.put(changed.getKey(), changed.getValue());
      }
    }
    outcome.signals().forEach(out::collect);
  }

  private Hysteresis figure(String key) {
    try {
      return figures.get(key);
    } catch (Exception e) {
      // The interface of state allows any exception; a backend that fails must fail the job.
      throw new IllegalStateException("state of figure " + key + " cannot be read", e);
    }
  }

  @Override
  public void processBroadcastElement(RuleDocument document, Context context, Collector<Signal> out)
      throws Exception {
    inForce.onDocument(document, context.getBroadcastState(RulesInForce.DOCUMENTS));
  }
}
