package io.tocsin.jobs.alerts;

import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.match.RuleSet;
import io.tocsin.rules.v1.RuleDocument;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules that an operator goes by.
 *
 * <p>The topic is read to its end before the first event, so no event meets fewer rules than were
 * pushed when the job started. Records that lie before that end and come again by broadcast change
 * the state and not the rules: an old document does not come into force a second time. Later ones
 * are in force from the event after them.
 *
 * <p>State: the newest document of each name that a build of the job understood. It stands in where
 * the topic now holds one that this build does not understand.
 */
final class RulesInForce {
  /** Broadcast state: documents by name. */
  static final MapStateDescriptor<String, RuleDocument> DOCUMENTS =
      new MapStateDescriptor<>(
          "rule-documents", Types.STRING, ProtobufTypeInfo.forMessage(RuleDocument.class));

  /** Counter: documents that this build did not understand. */
  static final String REFUSED_DOCUMENTS_TOTAL = "refused_documents_total";

  /** Gauge: documents in force. */
  static final String RULE_DOCUMENTS = "rule_documents";

  private static final Logger LOG = LoggerFactory.getLogger(RulesInForce.class);

  private final RulesAtStart.Contents atStart;
  private final Counter refusedDocuments;

  /** Made at the first element, because only then the broadcast state can be seen. */
  private RuleBook book;

  /** Those that the topic held at the start, until others come. */
  RulesInForce(RulesAtStart.Contents atStart, MetricGroup metrics) {
    this.atStart = atStart;
    refusedDocuments = metrics.counter(REFUSED_DOCUMENTS_TOTAL);
    metrics.gauge(RULE_DOCUMENTS, () -> book == null ? 0 : book.size());
  }

  /** The rules in force, ready to match. */
  RuleSet rules(ReadOnlyBroadcastState<String, RuleDocument> documents) throws Exception {
    return book(documents).rules();
  }

  /** Takes a document that was pushed, or that one is withdrawn. */
  void onDocument(RuleDocument document, BroadcastState<String, RuleDocument> documents)
      throws Exception {
    RuleBook rules = book(documents);
    boolean isNew = document.getTopicOffset() >= atStart.endOffset();
    if (document.getYaml().isEmpty()) {
      documents.remove(document.getName());
      if (isNew) {
        rules.remove(document.getName());
      }
    } else if (isNew ? putInForce(rules, document) : isUnderstood(document)) {
      documents.put(document.getName(), document);
    }
  }

  /** What the topic holds; of what this build does not understand there, what it did understand. */
  private RuleBook book(ReadOnlyBroadcastState<String, RuleDocument> documents) throws Exception {
    if (book != null) {
      return book;
    }
    book = new RuleBook();
    Set<String> names =
        atStart.documents().stream().map(RuleDocument::getName).collect(Collectors.toSet());
    for (Map.Entry<String, RuleDocument> known : documents.immutableEntries()) {
      if (names.contains(known.getKey())) {
        putInForce(book, known.getValue());
      }
    }
    atStart.documents().forEach(document -> putInForce(book, document));
    LOG.info("{} documents of {} are in force", book.size(), names.size());
    return book;
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
