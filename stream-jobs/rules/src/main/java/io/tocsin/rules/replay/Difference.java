package io.tocsin.rules.replay;

import java.util.List;
import java.util.Set;

/**
 * A page that is another one with the changed rules.
 *
 * @param kinds what is different; in order of their names here
 * @param before the page by the rules that it is compared with, null where there is none
 * @param after the page by the changed rules, null where there is none
 * @param reasons why, one sentence each
 */
public record Difference(Set<Kind> kinds, Page before, Page after, List<String> reasons) {
  /** What is different. */
  public enum Kind {
    /** Nobody was paged before. */
    NEW,
    /** Nobody is paged any more. */
    GONE,
    /** It comes earlier. */
    EARLIER,
    /** It comes later. */
    LATER,
    /** It comes with another severity. */
    SEVERITY,
    /** It is told under another one or by itself, or to another team. */
    GROUPING
  }

  /** The page to show: as it would be, else as it was. */
  public Page page() {
    return after == null ? before : after;
  }
}
