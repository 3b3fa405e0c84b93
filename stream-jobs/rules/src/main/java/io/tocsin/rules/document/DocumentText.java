package io.tocsin.rules.document;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of one YAML document and where it stands.
 *
 * @param file file, or whatever the text came from
 * @param firstLine line of the file that is the first of the text, counted from 1
 * @param text the document
 */
public record DocumentText(String file, int firstLine, String text) {
  private static final String SEPARATOR = "---";

  /**
   * Cuts a file at its document separators. Parts that hold only comments are left out. YAML allows
   * no line that begins with "---" inside a document, so a cut never goes through a value.
   */
  public static List<DocumentText> split(String file, String content) {
    List<DocumentText> documents = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int firstLine = 1;
    int line = 0;
    for (String each : content.lines().toList()) {
      line++;
      if (isSeparator(each)) {
        add(documents, new DocumentText(file, firstLine, text.toString()));
        text.setLength(0);
        firstLine = line + 1;
      } else {
        text.append(each).append('\n');
      }
    }
    add(documents, new DocumentText(file, firstLine, text.toString()));
    return documents;
  }

  private static boolean isSeparator(String line) {
    return line.startsWith(SEPARATOR) && line.substring(SEPARATOR.length()).isBlank();
  }

  private static void add(List<DocumentText> documents, DocumentText document) {
    boolean isEmpty =
        document.text.lines().allMatch(line -> line.isBlank() || line.strip().startsWith("#"));
    if (!isEmpty) {
      documents.add(document);
    }
  }

  /** "file:line" of the first line, as RuleDocument.origin has it. */
  public String origin() {
    return file + ":" + firstLine;
  }

  /** The text of a RuleDocument with its origin taken apart again. */
  public static DocumentText of(String origin, String text) {
    int colon = origin.lastIndexOf(':');
    String line = origin.substring(colon + 1);
    boolean hasLine =
        colon > 0
            && !line.isEmpty()
            && line.length() < 8
            && line.chars().allMatch(c -> c >= '0' && c <= '9');
    return hasLine
        ? new DocumentText(origin.substring(0, colon), Integer.parseInt(line), text)
        : new DocumentText(origin, 1, text);
  }
}
