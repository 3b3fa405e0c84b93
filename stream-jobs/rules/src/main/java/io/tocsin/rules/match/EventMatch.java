package io.tocsin.rules.match;

import java.util.Set;

/** Which events a clause is about, and what it reads from them. */
public sealed interface EventMatch permits MessageMatch, MeasureMatch {
  /** Every event has these. */
  Set<String> COMMON_FIELDS = Set.of("device", "site", "role");

  /** Names of the fields that a matching event can fill, beside the common ones. */
  Set<String> fields();
}
