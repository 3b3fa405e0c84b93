package io.tocsin.rules.document;

import io.tocsin.correlation.alerts.Policy;

/**
 * A maintenance window or a dependency.
 *
 * @param policy what it says
 */
public record PolicyDocument(Policy policy) implements Document {
  @Override
  public String name() {
    return policy.name();
  }
}
