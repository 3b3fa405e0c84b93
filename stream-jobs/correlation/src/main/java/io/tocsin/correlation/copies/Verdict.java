package io.tocsin.correlation.copies;

/**
 * What an event is.
 *
 * @param keptEventId of what was kept in its place; empty where it is kept itself
 */
public record Verdict(String keptEventId) {
  static final Verdict KEPT = new Verdict("");

  /** Whether another agent told it before. */
  public boolean isCopy() {
    return !keptEventId.isEmpty();
  }
}
