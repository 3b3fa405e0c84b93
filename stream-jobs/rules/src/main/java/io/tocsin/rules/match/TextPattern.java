package io.tocsin.rules.match;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import io.tocsin.correlation.text.RequiredLiteral;
import java.util.Map;
import java.util.Set;

/**
 * A RE2 pattern that is looked for anywhere in a text, with its named groups, and with the literal
 * that spares most texts the pattern.
 */
public final class TextPattern {
  /** Matches every text and reads nothing from it. */
  public static final TextPattern ANY = new TextPattern(null, "");

  private final Pattern pattern;
  private final String literal;

  private TextPattern(Pattern pattern, String literal) {
    this.pattern = pattern;
    this.literal = literal;
  }

  /**
   * Compiles a pattern.
   *
   * @throws com.google.re2j.PatternSyntaxException where it is none
   */
  public static TextPattern of(String regex) {
    return new TextPattern(Pattern.compile(regex), RequiredLiteral.of(regex));
  }

  /** Text that every match contains; empty where none is known. */
  public String literal() {
    return literal;
  }

  /** Names of the groups. */
  public Set<String> fields() {
    return pattern == null ? Set.of() : pattern.namedGroups().keySet();
  }

  /** Tells whether the text matches, and puts what the named groups hold into fields. */
  public boolean find(String text, Map<String, String> fields) {
    if (pattern == null) {
      return true;
    }
    if (!text.contains(literal)) {
      return false;
    }
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      return false;
    }
    for (Map.Entry<String, Integer> group : pattern.namedGroups().entrySet()) {
      String value = matcher.group(group.getValue());
      if (value != null) {
        fields.put(group.getKey(), value);
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return pattern == null ? "" : pattern.pattern();
  }
}
