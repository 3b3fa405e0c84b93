package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.match.Hysteresis;
import io.tocsin.rules.match.RuleSet;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Makes signals of figures by the {@link RulesInForce}; {@link RuleSet} decides, this keeps.
 *
 * <p>State, keyed by device: one entry for each figure beyond its threshold. Calm figures have
 * none, and what nobody polls for a day is forgotten, so rules and devices that are gone leave
 * nothing. By timers and not by a time to live: Flink cleans up behind that whenever state is read,
 * and begins anew with all key groups where there is little of it, which was a fifth of what all
 * jobs allocated.
 */
final class RulesFunction
    extends KeyedBroadcastProcessFunction<String, Event, RuleDocument, Signal> {
  private static final long FORGOTTEN_AFTER_MILLIS = Hysteresis.FORGOTTEN_AFTER.toMillis();
  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

  private final RulesAtStart rulesAtStart;
  private transient RulesInForce inForce;
  private transient MapState<String, Hysteresis> figures;

  RulesFunction(RulesAtStart rulesAtStart) {
    this.rulesAtStart = rulesAtStart;
  }

  @Override
  public void open(OpenContext context) {
    figures =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>(
                    "figures", Types.STRING, TypeInformation.of(Hysteresis.class)));
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
        context.timerService().registerEventTimeTimer(forgottenAtMillis(changed.getValue()));
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

  /** The next whole hour: a device that is polled each minute has 25 timers, not 1,440. */
  private static long forgottenAtMillis(Hysteresis figure) {
    long millis = Nanos.toMillisUp(figure.newestUnixNanos()) + FORGOTTEN_AFTER_MILLIS;
    return millis - Math.floorMod(millis, HOUR_MILLIS) + HOUR_MILLIS;
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Signal> out)
      throws Exception {
    long nowNanos = Nanos.ofMillis(timestampMillis);
    Iterator<Hysteresis> kept = figures.values().iterator();
    while (kept.hasNext()) {
      if (kept.next().isForgottenAt(nowNanos)) {
        kept.remove();
      }
    }
    if (figures.isEmpty()) {
      // On the heap an empty map would stay.
      figures.clear();
    }
  }

  @Override
  public void processBroadcastElement(RuleDocument document, Context context, Collector<Signal> out)
      throws Exception {
    inForce.onDocument(document, context.getBroadcastState(RulesInForce.DOCUMENTS));
  }
}
