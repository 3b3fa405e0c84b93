package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.GateInput;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.alerts.Gate;
import io.tocsin.correlation.alerts.GateState;
import io.tocsin.correlation.alerts.Policy;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what the {@link Gate} remembers and the policies in force, and does what it answers. No
 * rule stands here.
 *
 * <p>One instance, one key: who pages depends on what else is open. It takes transitions only,
 * which are few; signals that are counted in silence never come here. Beside them come documents,
 * what the topic says and what people say, on the input that no watermark comes by. State is one
 * entry for each active alert and each document, what opened lately in each group, each word of the
 * topic that is not settled, what people have said of active alerts, and a bounded number of such
 * words that wait for theirs.
 */
final class GateFunction extends KeyedCoProcessFunction<Integer, Alert, GateInput, Alert> {
  /** Counter: what people said of alerts that are not there. */
  static final String UNKNOWN_ACKNOWLEDGEMENTS_TOTAL = "unknown_acknowledgements_total";

  /**
   * A stream that ends, for a drain or a replay, has all of time behind it. Work that is planned
   * for every week is followed so far beyond the end, not for ever.
   */
  private static final long MILLIS_BEYOND_THE_END = Duration.ofDays(31).toMillis();

  private static final long GATHER_DOCUMENTS_MILLIS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(GateFunction.class);

  private final StormLimits limits;
  private final PolicyReader reader;
  private transient KeyedGateState state;
  private transient MapState<String, RuleDocument> documents;
  private transient Counter unknownAcknowledgements;

  /** Made at the first element: what it remembers is only there while a key is set. */
  private transient Gate gate;

  /** No timer is later: far away until the stream ends. */
  private transient long lastTimerMillis;

  /** What the documents say, so that each is read once. */
  private transient Map<String, Policy> policies;

  /** Whether the gate does not know them yet: it looks at every active alert when they change. */
  private transient boolean hasNewPolicies;

  GateFunction(StormLimits limits, PolicyReader reader) {
    this.limits = limits;
    this.reader = reader;
  }

  @Override
  public void open(OpenContext context) {
    lastTimerMillis = Long.MAX_VALUE;
    state = new KeyedGateState(getRuntimeContext());
    documents =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>(
                    "policy-documents",
                    Types.STRING,
                    ProtobufTypeInfo.forMessage(RuleDocument.class)));
    // A checkpoint may have been taken between a document and the look at what it changes.
    hasNewPolicies = true;
    unknownAcknowledgements =
        getRuntimeContext().getMetricGroup().counter(UNKNOWN_ACKNOWLEDGEMENTS_TOTAL);
  }

  @Override
  public void processElement1(Alert alert, Context context, Collector<Alert> out) throws Exception {
    TimerService timers = context.timerService();
    follow(gate(timers, out).onAlert(alert, now(timers)), timers, out);
  }

  @Override
  public void processElement2(GateInput input, Context context, Collector<Alert> out)
      throws Exception {
    TimerService timers = context.timerService();
    switch (input.getInputCase()) {
      case DOCUMENT -> onDocument(input.getDocument(), timers);
      case TOLD -> follow(gate(timers, out).onTold(input.getTold(), now(timers)), timers, out);
      case SAID -> follow(gate(timers, out).onSaid(input.getSaid(), now(timers)), timers, out);
      case INPUT_NOT_SET -> throw new IllegalStateException("the gate was handed nothing");
    }
  }

  /**
   * Documents may come by the thousand, and the gate takes them together: when anything else comes,
   * or nothing for a moment.
   */
  private void onDocument(RuleDocument document, TimerService timers) throws Exception {
    readPolicies();
    String name = document.getName();
    Optional<Policy> policy;
    try {
      policy = document.getYaml().isEmpty() ? Optional.empty() : reader.read(document);
    } catch (IllegalArgumentException e) {
      LOG.error(
          "document {} is not understood, and what it would replace stays in force: {}",
          name,
          e.getMessage());
      return;
    }
    hasNewPolicies |= policy.isPresent() || policies.containsKey(name);
    if (policy.isPresent()) {
      documents.put(name, document);
      policies.put(name, policy.get());
    } else {
      documents.remove(name);
      policies.remove(name);
    }
    if (hasNewPolicies) {
      timers.registerProcessingTimeTimer(timers.currentProcessingTime() + GATHER_DOCUMENTS_MILLIS);
    }
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Alert> out)
      throws Exception {
    TimerService timers = context.timerService();
    if (context.timeDomain() == TimeDomain.PROCESSING_TIME) {
      gate(timers, out);
      return;
    }
    boolean hasEnded = timers.currentWatermark() == Watermark.MAX_WATERMARK.getTimestamp();
    if (hasEnded && lastTimerMillis == Long.MAX_VALUE) {
      lastTimerMillis = timestampMillis + MILLIS_BEYOND_THE_END;
    }
    follow(gate(timers, out).onTimer(Nanos.ofMillis(timestampMillis)), timers, out);
  }

  private static long now(TimerService timers) {
    return Nanos.ofMillis(timers.currentWatermark());
  }

  /** Knows every document that has come. */
  private Gate gate(TimerService timers, Collector<Alert> out) throws Exception {
    if (gate == null) {
      readPolicies();
      gate = new Gate(limits, state, policies.values());
    }
    if (hasNewPolicies) {
      hasNewPolicies = false;
      follow(gate.onPolicies(policies.values(), now(timers)), timers, out);
    }
    return gate;
  }

  private void readPolicies() throws Exception {
    if (policies == null) {
      policies = new TreeMap<>();
      for (RuleDocument document : documents.values()) {
        reader.read(document).ifPresent(policy -> policies.put(document.getName(), policy));
      }
    }
  }

  private void follow(Step<GateState, Alert> step, TimerService timers, Collector<Alert> out) {
    step.decisions().forEach(out::collect);
    unknownAcknowledgements.inc(step.evicted());
    long timerMillis = Nanos.toMillisUp(step.nextTimerUnixNanos());
    if (step.nextTimerUnixNanos() != Step.NO_TIMER && timerMillis <= lastTimerMillis) {
      timers.registerEventTimeTimer(timerMillis);
    }
  }
}
