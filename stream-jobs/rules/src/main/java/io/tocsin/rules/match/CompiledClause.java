package io.tocsin.rules.match;

import io.tocsin.rules.document.Clause;
import io.tocsin.rules.document.Rule;

/**
 * A clause with its place among all: candidates of an event are tried in this order.
 *
 * @param order counts all clauses of all rules
 * @param number counts the clauses of the rule, from 0
 */
record CompiledClause(int order, Rule rule, int number, Clause clause)
    implements Comparable<CompiledClause> {
  @Override
  public int compareTo(CompiledClause other) {
    return Integer.compare(order, other.order);
  }
}
