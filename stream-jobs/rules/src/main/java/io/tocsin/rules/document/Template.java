package io.tocsin.rules.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Text with fields in braces: {@code Interface {interface} of {device} is down}. A field that an
 * event does not have is left empty.
 */
public final class Template {
  private final String text;

  /** Literal text and names of fields by turns, beginning with a literal. */
  private final List<String> parts;

  private Template(String text, List<String> parts) {
    this.text = text;
    this.parts = List.copyOf(parts);
  }

  /**
   * Reads a template.
   *
   * @throws IllegalArgumentException where a brace has no counterpart
   */
  public static Template of(String text) {
    List<String> parts = new ArrayList<>();
    int at = 0;
    for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
      int close = text.indexOf('}', open);
      if (close < 0) {
        throw new IllegalArgumentException("'{' without '}' in '" + text + "'");
      }
      parts.add(text.substring(at, open));
      parts.add(text.substring(open + 1, close));
      at = close + 1;
    }
    parts.add(text.substring(at));
    return new Template(text, parts);
  }

  /** Names of the fields in it. */
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>();
    for (int i = 1; i < parts.size(); i += 2) {
      fields.add(parts.get(i));
    }
    return fields;
  }

  /** The text for an event's fields. */
  public String render(Map<String, String> fields) {
    if (parts.size() == 1) {
      return text;
    }
    StringBuilder rendered = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      rendered.append(i % 2 == 0 ? parts.get(i) : fields.getOrDefault(parts.get(i), ""));
    }
    return rendered.toString();
  }

  @Override
  public String toString() {
    return text;
  }
}
