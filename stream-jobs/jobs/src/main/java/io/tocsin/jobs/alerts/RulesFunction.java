package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.match.Hysteresis;
import io.tocsin.rules.match.RuleSet;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes signals of events by the rules in force; {@link RuleSet} decides, this keeps.
 *
 * <p><b>Which rules.</b> The topic is read to its end before the first event, so no event meets
 * fewer rules than were pushed when the job started. Records that lie before that end and come
 * again by broadcast change the state and not the rules: an old document does not come into force a
 * second time. Later ones are in force from the event after them.
 *
 * <p><b>State.</b> Broadcast: the newest document of each name that a build of the job understood.
 * It stands in where the topic now holds one that this build does not understand. Keyed by device:
 * one entry for each figure beyond its threshold. Calm figures have none, and what nobody touches
 * for a day is forgotten, so rules and devices that are gone leave nothing.
 */
final class RulesFunction
    extends KeyedBroadcastProcessFunction<String, Event, RuleDocument, Signal> {
  /** Broadcast state: documents by name. */
  static final MapStateDescriptor<String, RuleDocument> DOCUMENTS =
      new MapStateDescriptor<>(
          "rule-documents", Types.STRING, ProtobufTypeInfo.forMessage(RuleDocument.class));

  /** Counter: documents that this build did not understand. */
  static final String REFUSED_DOCUMENTS_TOTAL = "refused_documents_total";

  /** Gauge: documents in force. */
  static final String RULE_DOCUMENTS = "rule_documents";

  private static final Logger LOG = LoggerFactory.getLogger(RulesFunction.class);
  private static final Duration FORGET_FIGURES_AFTER = Duration.ofDays(1);

  private final RulesAtStart rulesAtStart;
  private transient RulesAtStart.Contents atStart;
  private transient MapState<String, Hysteresis> figures;
  private transient Counter refusedDocuments;

  /** Made at the first element, because only then the broadcast state can be seen. */
  private transient RuleBook book;

  RulesFunction(RulesAtStart rulesAtStart) {
    this.rulesAtStart = rulesAtStart;
  }

  @Override
  public void open(OpenContext context) {
    MapStateDescriptor<String, Hysteresis> descriptor =
        new MapStateDescriptor<>("figures", Types.STRING, TypeInformation.of(Hysteresis.class));
    descriptor.enableTimeToLive(StateTtlConfig.newBuilder(FORGET_FIGURES_AFTER).build());
    figures = getRuntimeContext().getMapState(descriptor);
    refusedDocuments = getRuntimeContext().getMetricGroup().counter(REFUSED_DOCUMENTS_TOTAL);
    atStart = rulesAtStart.read();
    getRuntimeContext()
        .getMetricGroup()
        .gauge(RULE_DOCUMENTS, () -> book == null ? 0 : book.size());
  }

  @Override
  public void processElement(Event event, ReadOnlyContext context, Collector<Signal> out)
      throws Exception {
    if (book == null) {
      book = bookOf(context.getBroadcastState(DOCUMENTS));
    }
    RuleSet.Outcome outcome = book.rules().apply(event, this::figure);
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
    var documents = context.getBroadcastState(DOCUMENTS);
    if (book == null) {
      book = bookOf(documents);
    }
    boolean isNew = document.getTopicOffset() >= atStart.endOffset();
    if (document.getYaml().isEmpty()) {
      documents.remove(document.getName());
      if (isNew) {
        book.remove(document.getName());
      }
    } else if (isNew ? putInForce(book, document) : isUnderstood(document)) {
      documents.put(document.getName(), document);
    }
  }

  /** What the topic holds; of what this build does not understand there, what it did understand. */
  private RuleBook bookOf(ReadOnlyBroadcastState<String, RuleDocument> documents) throws Exception {
    RuleBook rules = new RuleBook();
    Set<String> names =
        atStart.documents().stream().map(RuleDocument::getName).collect(Collectors.toSet());
    for (Map.Entry<String, RuleDocument> known : documents.immutableEntries()) {
      if (names.contains(known.getKey())) {
        putInForce(rules, known.getValue());
      }
    }
    atStart.documents().forEach(document -> putInForce(rules, document));
    LOG.info("{} documents of {} are in force", rules.size(), names.size());
    return rules;
  }

  /** Puts a document in force; one that is not understood is told and counted. */
  private boolean putInForce(RuleBook rules, RuleDocument document) {
    try {
      rules.put(document);
      return true;
    } catch (DocumentException e) {
      refusedDocuments.inc();
      LOG.error(
          "document '{}' is not understood by this build, and what it would replace stays in force: {}",
          document.getName(),
          e.getMessage());
      return false;
    }
  }

  private static boolean isUnderstood(RuleDocument document) {
    try {
      RuleBook.read(document);
      return true;
    } catch (DocumentException e) {
      // It was told when the topic was read.
      return false;
    }
  }
}
