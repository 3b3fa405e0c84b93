package io.tocsin.correlation.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The texts that every match of a pattern must contain. It looks only at what stands outside of
 * groups, and gives up where it does not understand: a shorter answer costs time, a wrong one would
 * lose matches.
 */
public final class RequiredLiteral {
  private static final String NONE = "";
  private static final String OPTIONAL = "?*{";
  private static final String ESCAPABLE = "\\.+*?()|[]{}^$/-%<>:,\"'# ";

  private final String regex;
  private final List<List<String>> alternatives = new ArrayList<>();
  private final StringBuilder run = new StringBuilder();
  private List<String> runs = new ArrayList<>();
  private int at;

  private RequiredLiteral(String regex) {
    this.regex = regex;
  }

  /** The longest literal of a pattern; empty where none is known. */
  public static String of(String regex) {
    List<List<String>> literals = ofAlternatives(regex);
    return literals.size() == 1
        ? literals.get(0).stream().max(Comparator.comparingInt(String::length)).orElse(NONE)
        : NONE;
  }

  /** The literals of each alternative of a pattern, none where none is known of one. */
  public static List<List<String>> ofAlternatives(String regex) {
    RequiredLiteral literal = new RequiredLiteral(regex);
    return literal.findAll() ? literal.alternatives : List.of(List.of());
  }

  /** Whether the pattern is understood. */
  private boolean findAll() {
    while (at < regex.length()) {
      char c = regex.charAt(at);
      switch (c) {
        case '|' -> {
          endAlternative();
          at++;
        }
        case '(' -> {
          if (regex.startsWith("(?", at) && !isPlainGroup()) {
            return false;
          }
          endRun();
          skipGroup();
        }
        case '[' -> {
          endRun();
          skipClass();
        }
        case '\\' -> {
          if (at + 1 < regex.length() && ESCAPABLE.indexOf(regex.charAt(at + 1)) >= 0) {
            take(regex.charAt(at + 1), 2);
          } else if (at + 1 < regex.length() && "dDwWsSbB".indexOf(regex.charAt(at + 1)) >= 0) {
            endRun();
            at += 2;
          } else {
            return false;
          }
        }
        case '.', '^', '$', '?', '*', '+', '}' -> {
          endRun();
          at++;
        }
        case '{' -> {
          endRun();
          int close = regex.indexOf('}', at);
          at = close < 0 ? regex.length() : close + 1;
        }
        default -> take(c, 1);
      }
    }
    endAlternative();
    return true;
  }

  private void endAlternative() {
    endRun();
    alternatives.add(runs);
    runs = new ArrayList<>();
  }

  /** Takes a character into the run, except where what follows makes it optional. */
  private void take(char c, int length) {
    at += length;
    if (at < regex.length() && OPTIONAL.indexOf(regex.charAt(at)) >= 0) {
      endRun();
    } else {
      run.append(c);
      if (Character.isSurrogate(c)) {
        run.setLength(run.length() - 1);
        endRun();
      }
    }
  }

  private void endRun() {
    if (!run.isEmpty()) {
      runs.add(run.toString());
    }
    run.setLength(0);
  }

  /** A group with a name or without capture; anything else sets flags. */
  private boolean isPlainGroup() {
    return regex.startsWith("(?:", at)
        || regex.startsWith("(?P<", at)
        || regex.startsWith("(?<", at);
  }

  private void skipGroup() {
    int depth = 0;
    while (at < regex.length()) {
      char c = regex.charAt(at);
      if (c == '\\') {
        at += 2;
        continue;
      }
      if (c == '[') {
        skipClass();
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      at++;
      if (depth == 0) {
        return;
      }
    }
  }

  private void skipClass() {
    at++;
    if (at < regex.length() && regex.charAt(at) == '^') {
      at++;
    }
    // A bracket that comes first is a member.
    int first = at;
    while (at < regex.length() && (regex.charAt(at) != ']' || at == first)) {
      if (regex.startsWith("[:", at)) {
        int end = regex.indexOf(":]", at);
        at = end < 0 ? at + 1 : end + 2;
      } else {
        at += regex.charAt(at) == '\\' ? 2 : 1;
      }
    }
    at++;
  }
}
