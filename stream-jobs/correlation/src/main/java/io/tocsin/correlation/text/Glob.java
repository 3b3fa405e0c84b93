package io.tocsin.correlation.text;

import java.util.ArrayList;
import java.util.List;

/**
 * A text in which {@code *} stands for any characters, none included. Each piece between two stars
 * is taken where it stands first, which never has to be taken back.
 *
 * @param pieces what stands before, between and after the stars; one where there is no star
 */
public record Glob(List<String> pieces) {
  /** Reads one. */
  public static Glob of(String text) {
    List<String> pieces = new ArrayList<>();
    int start = 0;
    for (int star = text.indexOf('*'); star >= 0; star = text.indexOf('*', start)) {
      pieces.add(text.substring(start, star));
      start = star + 1;
    }
    pieces.add(text.substring(start));
    return new Glob(List.copyOf(pieces));
  }

  /** Tells whether a whole value is meant. */
  public boolean matches(String value) {
    String first = pieces.get(0);
    String last = pieces.get(pieces.size() - 1);
    if (pieces.size() == 1) {
      return value.equals(first);
    }
    int end = value.length() - last.length();
    if (!value.startsWith(first) || !value.endsWith(last)) {
      return false;
    }
    int at = first.length();
    for (String piece : pieces.subList(1, pieces.size() - 1)) {
      int found = value.indexOf(piece, at);
      if (found < 0) {
        return false;
      }
      at = found + piece.length();
    }
    return at <= end;
  }

  @Override
  public String toString() {
    return String.join("*", pieces);
  }
}
