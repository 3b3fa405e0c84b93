package io.tocsin.jobs.alerts;

import io.tocsin.correlation.alerts.Policy;
import io.tocsin.rules.v1.RuleDocument;
import java.io.Serializable;
import java.util.Optional;

/** Reads what a document says about who is paged. */
@FunctionalInterface
public interface PolicyReader extends Serializable {
  /**
   * The maintenance window, the dependency or the fault tree of a document; nothing for a rule.
   *
   * @throws IllegalArgumentException where this build does not understand the document
   */
  Optional<Policy> read(RuleDocument document);
}
