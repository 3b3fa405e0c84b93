package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.match.EventRoutes;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides in the task that reads an event all that needs no state: what a monitor or a job says is
 * a signal, and so is a message that a rule matches. Only those leave the task, and measures that a
 * rule judges; whatever else is read ends here.
 *
 * <p>It follows the topic of the rules by itself: Flink chains no operator of two inputs to a
 * source, and one of many, which it does chain, takes part in no checkpoint while only some of its
 * inputs are sources of its task.
 */
final class SignalsFunction extends ProcessFunction<Event, Signal> implements CheckpointedFunction {
  private static final Logger LOG = LoggerFactory.getLogger(SignalsFunction.class);

  /** What monitors say, which is bounded for each source. */
  static final OutputTag<Signal> UPDATES =
      new OutputTag<>("updates", ProtobufTypeInfo.forMessage(Signal.class));

  /** Events with figures that a rule judges, without the bytes that were received. */
  static final OutputTag<Event> MEASURES =
      new OutputTag<>("measures", ProtobufTypeInfo.forMessage(Event.class));

  /** Events of groups of agents, which go on when it is known that they are no copies. */
  static final OutputTag<Event> OF_GROUPS =
      new OutputTag<>("of-groups", ProtobufTypeInfo.forMessage(Event.class));

  private final UpdateExpiry updateExpiry;
  private final RulesAtStart rulesAtStart;
  private final Duration lookForRulesEvery;
  private final boolean isOfGroups;
  private transient BroadcastState<String, RuleDocument> documents;
  private transient RulesInForce inForce;
  private transient RulesAtStart.Later later;
  private transient long lookedAtNanos;

  /**
   * Of rules that may be pushed.
   *
   * @param updateExpiry silence after which an alert of a monitor expires
   * @param lookForRulesEvery how long an event may still meet the rules of before
   */
  SignalsFunction(
      UpdateExpiry updateExpiry, RulesAtStart rulesAtStart, Duration lookForRulesEvery) {
    this(updateExpiry, rulesAtStart, lookForRulesEvery, false);
  }

  private SignalsFunction(
      UpdateExpiry updateExpiry,
      RulesAtStart rulesAtStart,
      Duration lookForRulesEvery,
      boolean isOfGroups) {
    this.updateExpiry = updateExpiry;
    this.rulesAtStart = rulesAtStart;
    this.lookForRulesEvery = lookForRulesEvery;
    this.isOfGroups = isOfGroups;
  }

  /**
   * The same for events of groups that are no copies. It reads the rules when the first of them
   * comes: where there are no groups it never does.
   */
  SignalsFunction ofGroups() {
    return new SignalsFunction(updateExpiry, rulesAtStart, lookForRulesEvery, true);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    documents = context.getOperatorStateStore().getBroadcastState(RulesInForce.DOCUMENTS);
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) {
    // Flink keeps the documents as they are.
  }

  @Override
  public void open(OpenContext context) {
    if (!isOfGroups) {
      readRules();
    }
  }

  private void readRules() {
    RulesAtStart.Contents atStart = rulesAtStart.read();
    inForce = new RulesInForce(atStart, getRuntimeContext().getMetricGroup());
    later = rulesAtStart.after(atStart);
    lookedAtNanos = System.nanoTime();
  }

  /**
   * What fails while a failed task is cleaned up ends the task manager with all tasks of every job.
   * A consumer fails so where its password was refused, and holds nothing that would be lost.
   */
  @Override
  public void close() {
    if (later == null) {
      return;
    }
    try {
      later.close();
    } catch (KafkaException e) {
      LOG.warn("rules-v1: the reader was not closed in order, which loses nothing", e);
    }
  }

  @Override
  public void processElement(Event event, Context context, Collector<Signal> out) throws Exception {
    if (event.hasCopies() && !isOfGroups) {
      context.output(OF_GROUPS, event.toBuilder().clearRaw().build());
      return;
    }
    if (inForce == null) {
      readRules();
    }
    takeNewRules();
    EventRoutes.route(event, inForce.rules(documents), updateExpiry, new ByFlink(context, out));
  }

  private record ByFlink(ProcessFunction<Event, Signal>.Context context, Collector<Signal> out)
      implements EventRoutes.Takers {
    @Override
    public void signal(Signal signal) {
      out.collect(signal);
    }

    @Override
    public void update(Signal update) {
      context.output(UPDATES, update);
    }

    @Override
    public void measure(Event event) {
      context.output(MEASURES, withoutRaw(event));
    }
  }

  private void takeNewRules() throws Exception {
    long nowNanos = System.nanoTime();
    if (nowNanos - lookedAtNanos < lookForRulesEvery.toNanos()) {
      return;
    }
    lookedAtNanos = nowNanos;
    for (RuleDocument document : later.poll()) {
      inForce.onDocument(document, documents);
    }
  }

  private static Event withoutRaw(Event event) {
    return event.getRaw().isEmpty() ? event : event.toBuilder().clearRaw().build();
  }
}
