package io.tocsin.correlation;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Who goes first where a map that strangers can fill has no room: the entry that was heard of least
 * lately; of two at once the one whose name comes first, so that every run drops the same.
 */
public final class LongestUnheard {
  private LongestUnheard() {}

  /**
   * The name of the entry to drop.
   *
   * @param heardAtUnixNanos when an entry was heard of last
   * @param mayGo which entries may be dropped
   * @return nothing where none may
   */
  public static <V> Optional<String> in(
      Map<String, V> entries, ToLongFunction<V> heardAtUnixNanos, Predicate<V> mayGo) {
    return entries.entrySet().stream()
        .filter(entry -> mayGo.test(entry.getValue()))
        .min(
            Comparator.<Map.Entry<String, V>>comparingLong(
                    entry -> heardAtUnixNanos.applyAsLong(entry.getValue()))
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey);
  }
}
