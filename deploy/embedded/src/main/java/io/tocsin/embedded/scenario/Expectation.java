package io.tocsin.embedded.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import java.util.Iterator;

/**
 * A question and the answer that it must have.
 *
 * @param name what is expected, as a statement; for {@code never} what must not happen
 * @param sql for ClickHouse, without FORMAT
 * @param equals the rows: an array of arrays
 */
public record Expectation(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) String sql,
    @JsonProperty(required = true) JsonNode equals) {

  /**
   * Whether these rows are the expected ones. Numbers compare by value; a boolean is 0 or 1, as
   * ClickHouse writes it.
   */
  public boolean holds(JsonNode rows) {
    return same(equals, rows);
  }

  private static boolean same(JsonNode expected, JsonNode actual) {
    if (expected.isArray() && actual.isArray()) {
      if (expected.size() != actual.size()) {
        return false;
      }
      Iterator<JsonNode> others = actual.iterator();
      for (JsonNode element : expected) {
        if (!same(element, others.next())) {
          return false;
        }
      }
      return true;
    }
    if (expected.isObject() && actual.isObject()) {
      return expected.size() == actual.size()
          && expected.properties().stream()
              .allMatch(
                  field ->
                      actual.has(field.getKey())
                          && same(field.getValue(), actual.get(field.getKey())));
    }
    JsonNode left = number(expected);
    JsonNode right = number(actual);
    return left.isNumber() && right.isNumber()
        ? left.decimalValue().compareTo(right.decimalValue()) == 0
        : left.equals(right);
  }

  private static JsonNode number(JsonNode node) {
    return node.isBoolean() ? IntNode.valueOf(node.asBoolean() ? 1 : 0) : node;
  }
}
