package io.tocsin.rules.document;

import io.tocsin.correlation.alerts.Policy;

/**
 * A maintenance window, a dependency or a fault tree.
 *
 * @param policy what it says
 * @param description why, in the words of who wrote it; empty where nobody said
 */
public record PolicyDocument(Policy policy, String description) implements Document {
  @Override
  public String name() {
    return policy.name();
  }
}
