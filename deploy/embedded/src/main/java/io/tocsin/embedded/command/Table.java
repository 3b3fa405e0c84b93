package io.tocsin.embedded.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of a query as aligned text: numbers to the right, everything else to the left, the last
 * column cut to fit.
 */
final class Table {

  private static final int MAX_WIDTH = 98;
  private static final String INDENT = "  ";
  private static final String GAP = "   ";

  private Table() {}

  /** The text, a line a row under the headings; "none" where there are no rows. */
  static String text(List<String> headings, JsonNode rows) {
    if (rows.isEmpty()) {
      return INDENT + "none\n";
    }
    List<List<String>> lines = new ArrayList<>();
    lines.add(headings);
    rows.forEach(row -> lines.add(cells(row)));
    int[] widths = new int[headings.size()];
    for (List<String> line : lines) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], line.get(column).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder aligned = new StringBuilder(INDENT);
      for (int column = 0; column < widths.length; column++) {
        boolean isNumber = rows.get(0).get(column).isNumber();
        String format = "%" + (isNumber ? "" : "-") + widths[column] + "s";
        aligned.append(column == 0 ? "" : GAP).append(format.formatted(line.get(column)));
      }
      text.append(cut(aligned.toString().stripTrailing())).append('\n');
    }
    return text.toString();
  }

  private static List<String> cells(JsonNode row) {
    List<String> cells = new ArrayList<>();
    row.forEach(
        cell -> cells.add(cell.isNumber() ? "%,d".formatted(cell.asLong()) : cell.asText()));
    return cells;
  }

  private static String cut(String line) {
    return line.length() <= MAX_WIDTH ? line : line.substring(0, MAX_WIDTH - 1) + "…";
  }
}
