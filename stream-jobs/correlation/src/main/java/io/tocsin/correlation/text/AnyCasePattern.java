package io.tocsin.correlation.text;

import com.google.re2j.Pattern;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A RE2 pattern that is looked for anywhere in a text, in upper or lower case. The literals of its
 * alternatives spare most texts the pattern, which takes a hundred times as long: one that has not
 * all literals of any alternative cannot match.
 */
public final class AnyCasePattern implements Serializable {
  private static final long serialVersionUID = 1;

  private final String regex;
  private final transient Pattern pattern;
  private final transient List<List<String>> alternatives;

  /** Null where an alternative has no literal. */
  private final transient LiteralScan<String> literals;

  private AnyCasePattern(String regex) {
    this.regex = regex;
    this.pattern = Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
    this.alternatives =
        RequiredLiteral.ofAlternatives(regex).stream().map(AnyCasePattern::scannable).toList();
    this.literals =
        alternatives.stream().anyMatch(List::isEmpty)
            ? null
            : LiteralScan.ignoringCase(
                alternatives.stream().flatMap(List::stream).distinct().toList());
  }

  /**
   * Compiles a pattern.
   *
   * @throws com.google.re2j.PatternSyntaxException where it is none
   */
  public static AnyCasePattern of(String regex) {
    return new AnyCasePattern(regex);
  }

  private static List<String> scannable(List<String> texts) {
    return texts.stream().filter(text -> !LiteralScan.keyOf(text).isEmpty()).toList();
  }

  /** Tells whether a text contains a match. */
  public boolean findsIn(String text) {
    return (literals == null || mayFindIn(text)) && pattern.matcher(text).find();
  }

  private boolean mayFindIn(String text) {
    if (!literals.findsAnyIn(text)) {
      return false;
    }
    Set<String> found = new HashSet<>();
    literals.scan(text, found::add);
    return alternatives.stream().anyMatch(found::containsAll);
  }

  private Object readResolve() {
    return of(regex);
  }
}
