package io.tocsin.correlation.text;

import com.google.re2j.Pattern;
import java.io.Serializable;
import java.util.List;

/**
 * A RE2 pattern that is looked for anywhere in a text, in upper or lower case. The literals of its
 * alternatives spare most texts the pattern, which takes a hundred times as long.
 */
public final class AnyCasePattern implements Serializable {
  private static final long serialVersionUID = 1;

  private final String regex;
  private final transient Pattern pattern;

  /** Null where an alternative has no literal. */
  private final transient LiteralScan<String> literals;

  private AnyCasePattern(String regex, Pattern pattern, LiteralScan<String> literals) {
    this.regex = regex;
    this.pattern = pattern;
    this.literals = literals;
  }

  /**
   * Compiles a pattern.
   *
   * @throws com.google.re2j.PatternSyntaxException where it is none
   */
  public static AnyCasePattern of(String regex) {
    List<String> literals = RequiredLiteral.ofAlternatives(regex);
    boolean isScanned = literals.stream().noneMatch(text -> LiteralScan.keyOf(text).isEmpty());
    return new AnyCasePattern(
        regex,
        Pattern.compile(regex, Pattern.CASE_INSENSITIVE),
        isScanned ? LiteralScan.ignoringCase(literals) : null);
  }

  /** Tells whether a text contains a match. */
  public boolean findsIn(String text) {
    return (literals == null || literals.findsAnyIn(text)) && pattern.matcher(text).find();
  }

  private Object readResolve() {
    return of(regex);
  }
}
